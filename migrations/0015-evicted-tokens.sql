-- Tokens end with the secret and the key that opened them, so both get a name that a token can carry; a hash would let
-- its reader test guesses at the pepper.
ALTER TABLE connection_secrets
  ADD COLUMN id uuid NOT NULL DEFAULT gen_random_uuid() CONSTRAINT connection_secrets_id_unique UNIQUE,
  -- The user it was shown to: who created the connection or rotated the secret. NULL is the operator, or not recorded.
  ADD COLUMN issued_to uuid;
ALTER TABLE integration_keys
  ADD COLUMN id uuid NOT NULL DEFAULT gen_random_uuid() CONSTRAINT integration_keys_id_unique UNIQUE;

-- The key that opened the session. NULL where an earlier version did: it counts as the first to end of those that could.
ALTER TABLE sessions ADD COLUMN key_id uuid;
-- The newest sessions of a connection are kept, the others end.
CREATE INDEX sessions_connection ON sessions (org_id, connection_id, expires_at);

-- The audit log knows who was shown the existing secrets: the entry was written in the same transaction.
ALTER TABLE connection_secrets NO FORCE ROW LEVEL SECURITY;
ALTER TABLE audit_entries NO FORCE ROW LEVEL SECURITY;
UPDATE connection_secrets s SET issued_to = (
  SELECT a.user_id FROM audit_entries a
  WHERE a.org_id = s.org_id AND a.subject_id = 'con_' || replace(s.connection_id::text, '-', '')
    AND a.action IN ('addConnection', 'rotateConnection', 'createConnection', 'rotateConnectionSecret')
    AND a.at BETWEEN s.created_at AND s.created_at + interval '10 seconds'
  ORDER BY a.at LIMIT 1);
ALTER TABLE connection_secrets FORCE ROW LEVEL SECURITY;
ALTER TABLE audit_entries FORCE ROW LEVEL SECURITY;

-- An organization sees the keys of the integrations it is connected to, because its sessions end with them.
CREATE POLICY tenant ON integration_keys FOR SELECT USING (EXISTS (
  SELECT 1 FROM connections c WHERE c.org_id = current_org() AND c.integration_id = integration_keys.integration_id));
