BEGIN TRANSACTION;
CREATE TABLE memzoo_conversations (
	id TEXT NOT NULL, 
	born BIGINT NOT NULL, 
	revision BIGINT NOT NULL, 
	last_seq BIGINT NOT NULL, 
	updated_at TEXT, 
	PRIMARY KEY (id)
)
 WITHOUT ROWID

;
INSERT INTO "memzoo_conversations" VALUES('bakery',1,10,6,'2026-11-23T02:06:38.226155+00:00');
CREATE TABLE memzoo_embeddings (
	conversation_id TEXT NOT NULL, 
	strategy TEXT NOT NULL, 
	seq BIGINT NOT NULL, 
	vector BLOB NOT NULL, 
	PRIMARY KEY (conversation_id, strategy, seq)
);
CREATE TABLE memzoo_epochs (
	conversation_id TEXT NOT NULL, 
	epoch BIGINT NOT NULL, 
	PRIMARY KEY (conversation_id)
)
 WITHOUT ROWID

;
CREATE TABLE memzoo_items (
	conversation_id TEXT NOT NULL, 
	strategy TEXT NOT NULL, 
	"key" TEXT NOT NULL, 
	value TEXT, 
	version BIGINT NOT NULL, 
	PRIMARY KEY (conversation_id, strategy, "key")
);
INSERT INTO "memzoo_items" VALUES('bakery','entity','crumb & candle','{"name":"Crumb & Candle","summary":"The user''s bakery. Devin Achterberg is the head baker."}',2);
INSERT INTO "memzoo_items" VALUES('bakery','entity','devin achterberg','{"name":"Devin Achterberg","summary":"Head baker of Crumb & Candle."}',2);
INSERT INTO "memzoo_items" VALUES('bakery','entity','noor','{"name":"Noor","summary":"The user''s apprentice."}',2);
INSERT INTO "memzoo_items" VALUES('bakery','entity','devin','{"name":"Devin","of":"devin achterberg"}',2);
INSERT INTO "memzoo_items" VALUES('bakery','knowledge-graph','user	runs	crumb & candle','{"subject":"user","relation":"runs","object":"Crumb & Candle","negated":false,"sources":[{"seq":1,"speaker":"user","said_at":"2026-11-23T02:06:37.605548+00:00"}],"superseded_by":0}',3);
INSERT INTO "memzoo_items" VALUES('bakery','knowledge-graph','devin achterberg	is the head baker of	crumb & candle','{"subject":"Devin Achterberg","relation":"is the head baker of","object":"Crumb & Candle","negated":false,"sources":[{"seq":1,"speaker":"user","said_at":"2026-11-23T02:06:37.605548+00:00"}],"superseded_by":0}',3);
INSERT INTO "memzoo_items" VALUES('bakery','knowledge-graph','noor	is the apprentice of	user','{"subject":"Noor","relation":"is the apprentice of","object":"user","negated":false,"sources":[{"seq":1,"speaker":"user","said_at":"2026-11-23T02:06:37.605548+00:00"}],"superseded_by":5}',9);
INSERT INTO "memzoo_items" VALUES('bakery','summary','summary','"The user runs Crumb & Candle. Devin Achterberg is the head baker, Noor the apprentice. The rent at 14 Weir Street is £1,320. The flight to Ljubljana is on 12 May."',10);
INSERT INTO "memzoo_items" VALUES('bakery','entity','14 weir street','{"name":"14 Weir Street","summary":"The new shop. The rent is £1,320, say Pell, Marrow & Co."}',5);
INSERT INTO "memzoo_items" VALUES('bakery','entity','pell, marrow & co','{"name":"Pell, Marrow & Co","summary":"Letting agents."}',5);
INSERT INTO "memzoo_items" VALUES('bakery','entity','dr. hall','{"name":"Dr. Hall","summary":"The vet. The dog saw Dr. Hall."}',5);
INSERT INTO "memzoo_items" VALUES('bakery','knowledge-graph','14 weir street	costs	£1,320 a month','{"subject":"14 Weir Street","relation":"costs","object":"£1,320 a month","negated":false,"sources":[{"seq":3,"speaker":"user","said_at":"2026-11-23T02:06:38.185259+00:00"}],"superseded_by":0}',6);
INSERT INTO "memzoo_items" VALUES('bakery','knowledge-graph','dr. hall	is	vet','{"subject":"Dr. Hall","relation":"is","object":"the vet","negated":false,"sources":[{"seq":3,"speaker":"user","said_at":"2026-11-23T02:06:38.185259+00:00"}],"superseded_by":0}',6);
INSERT INTO "memzoo_items" VALUES('bakery','entity','ljubljana','{"name":"Ljubljana","summary":"The user flies there on 12 May."}',8);
INSERT INTO "memzoo_items" VALUES('bakery','knowledge-graph','user	flies to	ljubljana','{"subject":"user","relation":"flies to","object":"Ljubljana","negated":false,"sources":[{"seq":5,"speaker":"user","said_at":"2026-11-23T02:06:38.226155+00:00"}],"superseded_by":0}',9);
INSERT INTO "memzoo_items" VALUES('bakery','knowledge-graph','flight to ljubljana	is scheduled for	12 may','{"subject":"flight to Ljubljana","relation":"is scheduled for","object":"12 May","negated":false,"sources":[{"seq":5,"speaker":"user","said_at":"2026-11-23T02:06:38.226155+00:00"}],"superseded_by":0}',9);
CREATE TABLE memzoo_messages (
	conversation_id TEXT NOT NULL, 
	seq BIGINT NOT NULL, 
	turn_id TEXT NOT NULL, 
	message TEXT NOT NULL, 
	fields TEXT NOT NULL, 
	created_at TEXT NOT NULL, 
	place BIGINT DEFAULT '0' NOT NULL, 
	PRIMARY KEY (conversation_id, seq)
);
INSERT INTO "memzoo_messages" VALUES('bakery',1,'9b29fa9b147c4a46947f3fdf81d7eb7b','{"role":"user","content":"I run a bakery, Crumb & Candle. Devin Achterberg is my head baker, and Noor is my apprentice."}','{}','2026-11-23T02:06:37.605548+00:00',0);
INSERT INTO "memzoo_messages" VALUES('bakery',2,'9b29fa9b147c4a46947f3fdf81d7eb7b','{"role":"assistant","content":"A good team."}','{}','2026-11-23T02:06:37.605548+00:00',1);
INSERT INTO "memzoo_messages" VALUES('bakery',3,'95be68da51dd4b959162879a9f443082','{"role":"user","content":"The rent at 14 Weir Street is £1,320, say Pell, Marrow & Co. Dr. Hall is our vet."}','{}','2026-11-23T02:06:38.185259+00:00',0);
INSERT INTO "memzoo_messages" VALUES('bakery',4,'95be68da51dd4b959162879a9f443082','{"role":"assistant","content":"Noted."}','{}','2026-11-23T02:06:38.185259+00:00',1);
INSERT INTO "memzoo_messages" VALUES('bakery',5,'3b74e046c9c44ba28e36a0120317cd2a','{"role":"user","content":"Our flight to Ljubljana is on 12 May."}','{}','2026-11-23T02:06:38.226155+00:00',0);
INSERT INTO "memzoo_messages" VALUES('bakery',6,'3b74e046c9c44ba28e36a0120317cd2a','{"role":"assistant","content":"Have a good flight."}','{}','2026-11-23T02:06:38.226155+00:00',1);
CREATE TABLE memzoo_meta (
	"key" TEXT NOT NULL, 
	value BIGINT NOT NULL, 
	PRIMARY KEY ("key")
);
INSERT INTO "memzoo_meta" VALUES('schema',2);
INSERT INTO "memzoo_meta" VALUES('floor',0);
CREATE TABLE memzoo_states (
	conversation_id TEXT NOT NULL, 
	strategy TEXT NOT NULL, 
	version BIGINT NOT NULL, 
	watermark BIGINT NOT NULL, 
	PRIMARY KEY (conversation_id, strategy)
)
 WITHOUT ROWID

;
INSERT INTO "memzoo_states" VALUES('bakery','entity',8,6);
INSERT INTO "memzoo_states" VALUES('bakery','knowledge-graph',9,6);
INSERT INTO "memzoo_states" VALUES('bakery','summary',10,6);
CREATE UNIQUE INDEX memzoo_messages_by_place ON memzoo_messages (conversation_id, turn_id, place);
CREATE INDEX memzoo_items_by_version ON memzoo_items (conversation_id, strategy, version, "key");
COMMIT;
