BEGIN TRANSACTION;
CREATE TABLE memzoo_conversations (
	id TEXT NOT NULL, 
	born BIGINT NOT NULL, 
	revision BIGINT NOT NULL, 
	last_seq BIGINT NOT NULL, updated_at TEXT, 
	PRIMARY KEY (id)
)
 WITHOUT ROWID

;
INSERT INTO "memzoo_conversations" VALUES('a\0000\005cb\d800',3,3,1,'2026-01-01T00:07:00+00:00');
INSERT INTO "memzoo_conversations" VALUES('anna',3,8,6,'2026-01-01T00:06:00+00:00');
CREATE TABLE memzoo_embeddings (
	conversation_id TEXT NOT NULL, 
	strategy TEXT NOT NULL, 
	seq BIGINT NOT NULL, 
	vector BLOB NOT NULL, 
	PRIMARY KEY (conversation_id, strategy, seq)
);
INSERT INTO "memzoo_embeddings" VALUES('anna','vector-retriever/hash',1,X'0000803F00000000');
INSERT INTO "memzoo_embeddings" VALUES('anna','vector-retriever/hash',2,X'000000000000803F');
INSERT INTO "memzoo_embeddings" VALUES('anna','vector-retriever/hash',3,X'0000003F0000003F');
CREATE TABLE memzoo_items (
	conversation_id TEXT NOT NULL, 
	strategy TEXT NOT NULL, 
	"key" TEXT NOT NULL, 
	value TEXT, 
	version BIGINT NOT NULL, 
	PRIMARY KEY (conversation_id, strategy, "key")
);
INSERT INTO "memzoo_items" VALUES('anna','summary','summary','"Anna lives in Zürich."',5);
INSERT INTO "memzoo_items" VALUES('anna','entity','anna','{"name":"Anna","summary":"lives in Zürich"}',6);
INSERT INTO "memzoo_items" VALUES('anna','entity','bo',NULL,7);
CREATE TABLE memzoo_messages (
	conversation_id TEXT NOT NULL, 
	seq BIGINT NOT NULL, 
	turn_id TEXT NOT NULL, 
	message TEXT NOT NULL, 
	fields TEXT NOT NULL, 
	created_at TEXT NOT NULL, place BIGINT DEFAULT '0' NOT NULL, 
	PRIMARY KEY (conversation_id, seq)
);
INSERT INTO "memzoo_messages" VALUES('anna',1,'t1','{"role":"user","content":"I am Anna"}','{"input":null,"mood":"good"}','2026-01-01T00:01:00+00:00',0);
INSERT INTO "memzoo_messages" VALUES('anna',2,'t1','{"role":"assistant","content":"Hello Anna"}','{"input":null,"mood":"good"}','2026-01-01T00:02:00+00:00',1);
INSERT INTO "memzoo_messages" VALUES('anna',3,'t2','{"role": "user", "content": "I live in Z\u00fcrich \ud83c\udfd4 \u0000 \ud800"}','{}','2026-01-01T00:03:00+00:00',0);
INSERT INTO "memzoo_messages" VALUES('anna',4,'t2','{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"map","arguments":"{}"}}]}','{}','2026-01-01T00:04:00+00:00',1);
INSERT INTO "memzoo_messages" VALUES('anna',5,'t2','{"role":"tool","tool_call_id":"c1","content":"47°N"}','{}','2026-01-01T00:05:00+00:00',2);
INSERT INTO "memzoo_messages" VALUES('anna',6,'t2','{"role":"assistant","content":"Nice"}','{}','2026-01-01T00:06:00+00:00',3);
INSERT INTO "memzoo_messages" VALUES('a\0000\005cb\d800',1,'t1','{"role":"user","content":"hi"}','{}','2026-01-01T00:07:00+00:00',0);
CREATE TABLE memzoo_meta (
	"key" TEXT NOT NULL, 
	value BIGINT NOT NULL, 
	PRIMARY KEY ("key")
);
INSERT INTO "memzoo_meta" VALUES('schema',2);
INSERT INTO "memzoo_meta" VALUES('floor',2);
CREATE TABLE memzoo_states (
	conversation_id TEXT NOT NULL, 
	strategy TEXT NOT NULL, 
	version BIGINT NOT NULL, 
	watermark BIGINT NOT NULL, 
	PRIMARY KEY (conversation_id, strategy)
)
 WITHOUT ROWID

;
INSERT INTO "memzoo_states" VALUES('anna','entity',7,6);
INSERT INTO "memzoo_states" VALUES('anna','summary',5,6);
INSERT INTO "memzoo_states" VALUES('anna','vector-retriever/hash',8,6);
CREATE INDEX memzoo_items_by_version ON memzoo_items (conversation_id, strategy, version, "key");
CREATE UNIQUE INDEX memzoo_messages_by_place ON memzoo_messages (conversation_id, turn_id, place);
COMMIT;
