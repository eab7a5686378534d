-- Every statement of memzoo's SQL store, as PostgreSQL is sent it: first the tables, then the rest.
-- SQLAlchemy's own look into pg_catalog, at the start, is left out. Written by `python -m tests.stores.statements`.

CREATE SEQUENCE memzoo_versions AS BIGINT;

CREATE TABLE memzoo_conversations ( id TEXT COLLATE "C" NOT NULL, born BIGINT NOT NULL, revision BIGINT NOT NULL, last_seq BIGINT NOT NULL, updated_at TEXT COLLATE "C", PRIMARY KEY (id) );

CREATE TABLE memzoo_embeddings ( conversation_id TEXT COLLATE "C" NOT NULL, strategy TEXT COLLATE "C" NOT NULL, seq BIGINT NOT NULL, vector BYTEA NOT NULL, PRIMARY KEY (conversation_id, strategy, seq) );

CREATE TABLE memzoo_epochs ( conversation_id TEXT COLLATE "C" NOT NULL, epoch BIGINT NOT NULL, PRIMARY KEY (conversation_id) );

CREATE TABLE memzoo_items ( conversation_id TEXT COLLATE "C" NOT NULL, strategy TEXT COLLATE "C" NOT NULL, key TEXT COLLATE "C" NOT NULL, value TEXT COLLATE "C", version BIGINT NOT NULL, PRIMARY KEY (conversation_id, strategy, key) );

CREATE TABLE memzoo_leases ( conversation_id TEXT COLLATE "C" NOT NULL, strategy TEXT COLLATE "C" NOT NULL, owner TEXT COLLATE "C" NOT NULL, token BIGINT NOT NULL, ends BIGINT NOT NULL, PRIMARY KEY (conversation_id, strategy) );

CREATE TABLE memzoo_messages ( conversation_id TEXT COLLATE "C" NOT NULL, seq BIGINT NOT NULL, turn_id TEXT COLLATE "C" NOT NULL, message TEXT COLLATE "C" NOT NULL, fields TEXT COLLATE "C" NOT NULL, created_at TEXT COLLATE "C" NOT NULL, place BIGINT DEFAULT '0' NOT NULL, PRIMARY KEY (conversation_id, seq) );

CREATE TABLE memzoo_meta ( key TEXT COLLATE "C" NOT NULL, value BIGINT NOT NULL, PRIMARY KEY (key) );

CREATE TABLE memzoo_states ( conversation_id TEXT COLLATE "C" NOT NULL, strategy TEXT COLLATE "C" NOT NULL, version BIGINT NOT NULL, watermark BIGINT NOT NULL, PRIMARY KEY (conversation_id, strategy) );

CREATE TABLE memzoo_tombstones ( conversation TEXT COLLATE "C" NOT NULL, turn TEXT COLLATE "C" NOT NULL, PRIMARY KEY (conversation, turn) );

CREATE INDEX memzoo_items_by_version ON memzoo_items (conversation_id, strategy, version, key);

CREATE UNIQUE INDEX memzoo_messages_by_place ON memzoo_messages (conversation_id, turn_id, place);

DELETE FROM memzoo_conversations WHERE memzoo_conversations.id = ?;

DELETE FROM memzoo_conversations WHERE memzoo_conversations.id = ? AND memzoo_conversations.updated_at IS NULL;

DELETE FROM memzoo_embeddings WHERE memzoo_embeddings.conversation_id = ? AND NOT (EXISTS (SELECT * FROM memzoo_conversations WHERE memzoo_conversations.id = ?));

DELETE FROM memzoo_embeddings WHERE memzoo_embeddings.conversation_id = ? COLLATE "C" AND memzoo_embeddings.strategy IN (? COLLATE "C");

DELETE FROM memzoo_embeddings WHERE memzoo_embeddings.conversation_id = ? COLLATE "C" AND memzoo_embeddings.strategy IN (NULL) AND (1 != 1) AND memzoo_embeddings.seq IN (?);

DELETE FROM memzoo_epochs WHERE memzoo_epochs.conversation_id = ? AND NOT (EXISTS (SELECT * FROM memzoo_conversations WHERE memzoo_conversations.id = ?));

DELETE FROM memzoo_items WHERE memzoo_items.conversation_id = ? AND NOT (EXISTS (SELECT * FROM memzoo_conversations WHERE memzoo_conversations.id = ?));

DELETE FROM memzoo_items WHERE memzoo_items.conversation_id = ? COLLATE "C" AND memzoo_items.strategy IN (? COLLATE "C");

DELETE FROM memzoo_leases WHERE memzoo_leases.conversation_id = ? AND NOT (EXISTS (SELECT * FROM memzoo_conversations WHERE memzoo_conversations.id = ?));

DELETE FROM memzoo_messages WHERE memzoo_messages.conversation_id = ? AND NOT (EXISTS (SELECT * FROM memzoo_conversations WHERE memzoo_conversations.id = ?));

DELETE FROM memzoo_messages WHERE memzoo_messages.conversation_id = ? COLLATE "C" AND memzoo_messages.seq IN (?);

DELETE FROM memzoo_states WHERE memzoo_states.conversation_id = ? AND NOT (EXISTS (SELECT * FROM memzoo_conversations WHERE memzoo_conversations.id = ?));

DELETE FROM memzoo_states WHERE memzoo_states.conversation_id = ? COLLATE "C" AND memzoo_states.strategy IN (? COLLATE "C");

DELETE FROM memzoo_tombstones WHERE memzoo_tombstones.conversation = ?;

INSERT INTO memzoo_conversations (id, born, revision, last_seq, updated_at) VALUES (?, nextval('memzoo_versions'), nextval('memzoo_versions'), ?, ?) ON CONFLICT DO NOTHING RETURNING memzoo_conversations.born;

INSERT INTO memzoo_embeddings (conversation_id, strategy, seq, vector) VALUES (? COLLATE "C", ? COLLATE "C", ?, ?) ON CONFLICT (conversation_id, strategy, seq) DO UPDATE SET vector = excluded.vector;

INSERT INTO memzoo_epochs (conversation_id, epoch) VALUES (?, ?) ON CONFLICT (conversation_id) DO UPDATE SET epoch = (memzoo_epochs.epoch + ?);

INSERT INTO memzoo_items (conversation_id, strategy, key, value, version) VALUES (? COLLATE "C", ? COLLATE "C", ? COLLATE "C", ? COLLATE "C", ?) ON CONFLICT (conversation_id, strategy, key) DO UPDATE SET value = excluded.value, version = excluded.version;

INSERT INTO memzoo_leases (conversation_id, strategy, owner, token, ends) SELECT ? AS anon_1, ? AS anon_2, ? AS anon_3, 1, CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint) + ? AS ends WHERE EXISTS (SELECT * FROM memzoo_conversations WHERE memzoo_conversations.id = ?) ON CONFLICT (conversation_id, strategy) DO UPDATE SET owner = excluded.owner, token = CASE WHEN (memzoo_leases.owner = excluded.owner) THEN memzoo_leases.token ELSE memzoo_leases.token + ? END, ends = excluded.ends WHERE memzoo_leases.owner = excluded.owner OR memzoo_leases.ends <= CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint) RETURNING memzoo_leases.owner, memzoo_leases.token;

INSERT INTO memzoo_messages (conversation_id, seq, turn_id, message, fields, created_at, place) VALUES (? COLLATE "C", ?, ? COLLATE "C", ? COLLATE "C", ? COLLATE "C", ? COLLATE "C", ?);

INSERT INTO memzoo_meta (key, value) VALUES (? COLLATE "C", ?);

INSERT INTO memzoo_states (conversation_id, strategy, version, watermark) VALUES (? COLLATE "C", ? COLLATE "C", ?, ?) ON CONFLICT (conversation_id, strategy) DO UPDATE SET version = excluded.version, watermark = excluded.watermark;

INSERT INTO memzoo_tombstones (conversation, turn) VALUES (? COLLATE "C", ? COLLATE "C") ON CONFLICT (conversation, turn) DO NOTHING;

SELECT DISTINCT memzoo_messages.conversation_id FROM memzoo_messages WHERE NOT (EXISTS (SELECT memzoo_conversations.id FROM memzoo_conversations WHERE memzoo_conversations.id = memzoo_messages.conversation_id)) ORDER BY memzoo_messages.conversation_id;

SELECT anon_1.born, anon_1.version, anon_1.watermark, memzoo_items.key, memzoo_items.value FROM (SELECT memzoo_conversations.born AS born, coalesce(memzoo_states.version, memzoo_conversations.born) AS version, coalesce(memzoo_states.watermark, ?) AS watermark FROM memzoo_conversations LEFT OUTER JOIN memzoo_states ON memzoo_states.conversation_id = memzoo_conversations.id AND memzoo_states.strategy = ? WHERE memzoo_conversations.id = ?) AS anon_1 LEFT OUTER JOIN memzoo_items ON memzoo_items.conversation_id = ? AND memzoo_items.strategy = ? AND memzoo_items.version > CASE WHEN (? BETWEEN anon_1.born AND anon_1.version) THEN ? ELSE ? END ORDER BY memzoo_items.version, memzoo_items.key;

SELECT anon_1.seq, anon_1.turn_id, anon_1.message, anon_1.fields, anon_1.created_at, memzoo_conversations.revision, memzoo_conversations.born, memzoo_epochs.epoch FROM memzoo_conversations LEFT OUTER JOIN memzoo_epochs ON memzoo_epochs.conversation_id = memzoo_conversations.id LEFT OUTER JOIN (SELECT memzoo_messages.seq AS seq, memzoo_messages.turn_id AS turn_id, memzoo_messages.message AS message, memzoo_messages.fields AS fields, memzoo_messages.created_at AS created_at FROM memzoo_messages WHERE memzoo_messages.conversation_id = ? AND memzoo_messages.seq > ? AND memzoo_messages.seq <= ? ORDER BY memzoo_messages.seq LIMIT ?) AS anon_1 ON true WHERE memzoo_conversations.id = ? ORDER BY anon_1.seq;

SELECT anon_1.seq, anon_1.turn_id, anon_1.message, anon_1.fields, anon_1.created_at, memzoo_conversations.revision, memzoo_conversations.born, memzoo_epochs.epoch FROM memzoo_conversations LEFT OUTER JOIN memzoo_epochs ON memzoo_epochs.conversation_id = memzoo_conversations.id LEFT OUTER JOIN (SELECT memzoo_messages.seq AS seq, memzoo_messages.turn_id AS turn_id, memzoo_messages.message AS message, memzoo_messages.fields AS fields, memzoo_messages.created_at AS created_at FROM memzoo_messages WHERE memzoo_messages.conversation_id = ? AND memzoo_messages.seq > ? ORDER BY memzoo_messages.seq DESC LIMIT ?) AS anon_1 ON true WHERE memzoo_conversations.id = ? ORDER BY anon_1.seq DESC;

SELECT anon_1.seq, anon_1.turn_id, anon_1.message, anon_1.fields, anon_1.created_at, memzoo_conversations.revision, memzoo_conversations.born, memzoo_epochs.epoch FROM memzoo_conversations LEFT OUTER JOIN memzoo_epochs ON memzoo_epochs.conversation_id = memzoo_conversations.id LEFT OUTER JOIN (SELECT memzoo_messages.seq AS seq, memzoo_messages.turn_id AS turn_id, memzoo_messages.message AS message, memzoo_messages.fields AS fields, memzoo_messages.created_at AS created_at FROM memzoo_messages WHERE memzoo_messages.conversation_id = ? AND memzoo_messages.seq > ? ORDER BY memzoo_messages.seq LIMIT ?) AS anon_1 ON true WHERE memzoo_conversations.id = ? ORDER BY anon_1.seq;

SELECT coalesce(sum(checksum_failures), 0) FROM pg_catalog.pg_stat_database WHERE datname = current_database();

SELECT count(*) AS count_1 FROM memzoo_messages WHERE memzoo_messages.conversation_id = ?;

SELECT memzoo_conversations.born, coalesce(memzoo_states.version, memzoo_conversations.born) AS version, coalesce(memzoo_states.watermark, ?) AS watermark FROM memzoo_conversations LEFT OUTER JOIN memzoo_states ON memzoo_states.conversation_id = memzoo_conversations.id AND memzoo_states.strategy = ? WHERE memzoo_conversations.id = ?;

SELECT memzoo_conversations.id FROM memzoo_conversations WHERE memzoo_conversations.id = ? FOR UPDATE;

SELECT memzoo_conversations.id FROM memzoo_conversations WHERE memzoo_conversations.updated_at != coalesce((SELECT memzoo_messages.created_at FROM memzoo_messages WHERE memzoo_messages.conversation_id = memzoo_conversations.id ORDER BY memzoo_messages.seq DESC LIMIT ?), ?);

SELECT memzoo_conversations.id FROM memzoo_conversations WHERE memzoo_conversations.updated_at IS NOT NULL AND ? < memzoo_conversations.id ORDER BY memzoo_conversations.id LIMIT ?;

SELECT memzoo_conversations.id FROM memzoo_conversations WHERE memzoo_conversations.updated_at IS NOT NULL AND ? <= memzoo_conversations.id AND ? > memzoo_conversations.id ORDER BY memzoo_conversations.id;

SELECT memzoo_conversations.id FROM memzoo_conversations WHERE memzoo_conversations.updated_at IS NOT NULL AND ? > memzoo_conversations.updated_at ORDER BY memzoo_conversations.id;

SELECT memzoo_conversations.id FROM memzoo_conversations WHERE memzoo_conversations.updated_at IS NOT NULL AND memzoo_conversations.last_seq > coalesce((SELECT memzoo_states.watermark FROM memzoo_states WHERE memzoo_states.conversation_id = memzoo_conversations.id AND memzoo_states.strategy = ?), ?) AND (EXISTS (SELECT * FROM memzoo_messages WHERE memzoo_messages.conversation_id = memzoo_conversations.id AND memzoo_messages.seq > coalesce((SELECT memzoo_states.watermark FROM memzoo_states WHERE memzoo_states.conversation_id = memzoo_conversations.id AND memzoo_states.strategy = ?), ?))) ORDER BY memzoo_conversations.id;

SELECT memzoo_conversations.id FROM memzoo_conversations WHERE memzoo_conversations.updated_at IS NOT NULL ORDER BY memzoo_conversations.id;

SELECT memzoo_embeddings.seq, memzoo_embeddings.vector FROM memzoo_embeddings WHERE memzoo_embeddings.conversation_id = ? AND memzoo_embeddings.strategy = ? AND memzoo_embeddings.seq > ? ORDER BY memzoo_embeddings.seq;

SELECT memzoo_messages.seq, memzoo_messages.turn_id FROM memzoo_messages WHERE memzoo_messages.conversation_id = ? COLLATE "C" AND memzoo_messages.seq IN (?);

SELECT memzoo_messages.seq, memzoo_messages.turn_id, memzoo_messages.message, memzoo_messages.fields, memzoo_messages.created_at FROM memzoo_messages WHERE memzoo_messages.conversation_id = ? AND memzoo_messages.turn_id = ? COLLATE "C" ORDER BY memzoo_messages.place;

SELECT memzoo_messages.seq, memzoo_messages.turn_id, memzoo_messages.message, memzoo_messages.fields, memzoo_messages.created_at, memzoo_conversations.revision, memzoo_conversations.born, memzoo_epochs.epoch FROM memzoo_conversations LEFT OUTER JOIN memzoo_epochs ON memzoo_epochs.conversation_id = memzoo_conversations.id LEFT OUTER JOIN memzoo_messages ON memzoo_messages.conversation_id = ? AND memzoo_messages.seq > ? AND memzoo_messages.seq <= ? WHERE memzoo_conversations.id = ? ORDER BY memzoo_messages.seq;

SELECT memzoo_messages.seq, memzoo_messages.turn_id, memzoo_messages.message, memzoo_messages.fields, memzoo_messages.created_at, memzoo_conversations.revision, memzoo_conversations.born, memzoo_epochs.epoch FROM memzoo_conversations LEFT OUTER JOIN memzoo_epochs ON memzoo_epochs.conversation_id = memzoo_conversations.id LEFT OUTER JOIN memzoo_messages ON memzoo_messages.conversation_id = ? AND memzoo_messages.seq > ? AND memzoo_messages.seq <= ? WHERE memzoo_conversations.id = ? ORDER BY memzoo_messages.seq DESC;

SELECT memzoo_messages.seq, memzoo_messages.turn_id, memzoo_messages.message, memzoo_messages.fields, memzoo_messages.created_at, memzoo_conversations.revision, memzoo_conversations.born, memzoo_epochs.epoch FROM memzoo_conversations LEFT OUTER JOIN memzoo_epochs ON memzoo_epochs.conversation_id = memzoo_conversations.id LEFT OUTER JOIN memzoo_messages ON memzoo_messages.conversation_id = ? AND memzoo_messages.seq > ? WHERE memzoo_conversations.id = ? ORDER BY memzoo_messages.seq;

SELECT memzoo_messages.seq, memzoo_messages.turn_id, memzoo_messages.message, memzoo_messages.fields, memzoo_messages.created_at, memzoo_conversations.revision, memzoo_conversations.born, memzoo_epochs.epoch FROM memzoo_conversations LEFT OUTER JOIN memzoo_epochs ON memzoo_epochs.conversation_id = memzoo_conversations.id LEFT OUTER JOIN memzoo_messages ON memzoo_messages.conversation_id = ? AND memzoo_messages.seq > ? WHERE memzoo_conversations.id = ? ORDER BY memzoo_messages.seq DESC;

SELECT memzoo_states.strategy FROM memzoo_states WHERE memzoo_states.conversation_id = ?;

SELECT memzoo_states.strategy FROM memzoo_states WHERE memzoo_states.conversation_id = ? COLLATE "C";

SELECT memzoo_states.strategy FROM memzoo_states WHERE memzoo_states.conversation_id = ? COLLATE "C" AND memzoo_states.watermark >= ? AND ((EXISTS (SELECT * FROM memzoo_items WHERE memzoo_items.conversation_id = memzoo_states.conversation_id AND memzoo_items.strategy = memzoo_states.strategy)) OR NOT (EXISTS (SELECT * FROM memzoo_embeddings WHERE memzoo_embeddings.conversation_id = memzoo_states.conversation_id AND memzoo_embeddings.strategy = memzoo_states.strategy)));

SELECT memzoo_tombstones.turn FROM memzoo_tombstones WHERE memzoo_tombstones.conversation = ? ORDER BY memzoo_tombstones.turn;

SELECT pg_advisory_xact_lock(?) AS pg_advisory_xact_lock_1;

UPDATE memzoo_conversations SET born=nextval('memzoo_versions'), revision=nextval('memzoo_versions') WHERE memzoo_conversations.id = ? RETURNING memzoo_conversations.born;

UPDATE memzoo_conversations SET revision=nextval('memzoo_versions') WHERE memzoo_conversations.id = ? RETURNING memzoo_conversations.revision;

UPDATE memzoo_conversations SET updated_at=(SELECT memzoo_messages.created_at FROM memzoo_messages WHERE memzoo_messages.conversation_id = ? COLLATE "C" ORDER BY memzoo_messages.seq DESC LIMIT ?) WHERE memzoo_conversations.id = ? COLLATE "C";

UPDATE memzoo_leases SET ends = 0 WHERE conversation_id = ?;

UPDATE memzoo_leases SET ends = 0 WHERE conversation_id = ? AND strategy = ? AND owner = ? RETURNING token;

UPDATE memzoo_meta SET value=? WHERE memzoo_meta.key = ? COLLATE "C";

UPDATE memzoo_states SET version=? WHERE memzoo_states.conversation_id = ? COLLATE "C";

VACUUM (FULL) memzoo_meta, memzoo_conversations, memzoo_messages, memzoo_states, memzoo_items, memzoo_embeddings, memzoo_epochs, memzoo_tombstones, memzoo_leases;

WITH known AS ( SELECT FROM memzoo_messages WHERE conversation_id = ? AND turn_id = ? AND EXISTS (SELECT FROM memzoo_conversations WHERE id = ?) LIMIT 1 ), buried AS ( SELECT FROM memzoo_tombstones WHERE conversation = ? AND turn = ? AND NOT EXISTS (SELECT FROM known) ), born AS ( SELECT nextval('memzoo_versions') AS version WHERE NOT EXISTS (SELECT FROM known) AND NOT EXISTS (SELECT FROM buried) ), grown AS ( INSERT INTO memzoo_conversations AS conversation (id, born, revision, last_seq, updated_at) SELECT ?, version, version, ?, ? FROM born ON CONFLICT (id) DO UPDATE SET last_seq = conversation.last_seq + excluded.last_seq, updated_at = excluded.updated_at RETURNING last_seq ), added AS ( INSERT INTO memzoo_messages (conversation_id, seq, turn_id, place, message, fields, created_at) SELECT ?, last_seq - ? + place, ?, place - 1, message, fields, ? FROM grown, unnest(CAST(? AS text[]), CAST(? AS text[])) WITH ORDINALITY AS new (message, fields, place) RETURNING seq ) SELECT coalesce(min(seq), 0), EXISTS (SELECT FROM buried) FROM added;
