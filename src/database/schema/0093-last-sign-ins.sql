-- The latest sign-in of which the practice knows: that of a session which was used for it. Null if there was none.
alter table memberships add last_sign_in_at timestamptz(3);

update memberships m set last_sign_in_at = (
  select max(a.created_at) from audit_log a
  where a.practice_id = m.practice_id and a.actor_id = m.person_id and a.action = 'session.started'
);
