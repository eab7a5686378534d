-- The tables of memzoo's SQL store in 256 partitions each: psql --file partitions.sql DATABASE
DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['conversations', 'messages', 'states', 'items', 'embeddings'] LOOP
        EXECUTE format('ALTER TABLE memzoo_%s RENAME TO memzoo_unpartitioned', name);
        EXECUTE format('CREATE TABLE memzoo_%s (LIKE memzoo_unpartitioned INCLUDING ALL) PARTITION BY HASH (%I)',
            name, CASE name WHEN 'conversations' THEN 'id' ELSE 'conversation_id' END);
        DROP TABLE memzoo_unpartitioned;
        FOR number IN 0..255 LOOP
            EXECUTE format('CREATE TABLE memzoo_%s_%s PARTITION OF memzoo_%s FOR VALUES WITH (MODULUS 256, REMAINDER %s)',
                name, number, name, number);
        END LOOP;
    END LOOP;
END $$;
