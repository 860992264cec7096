-- Patients who were erased before this release owe nothing any more, as those who are erased from now on: nobody can call them.
insert into link_resolutions (practice_id, payment_link_id, reason, actor_id, resolved_at)
select practice_id, id, 'written_off', 'operator', clock_timestamp() from payment_links l
where patient_first_name = 'Erased' and patient_last_name = 'Patient' and description = 'Erased' and status in ('expired', 'paid')
  and exists (select from audit_log a where a.practice_id = l.practice_id and a.target_id = l.id and a.action = 'patient.erased')
  and (status = 'expired' or exists (select from bank_reversals r where r.payment_link_id = l.id)
    or exists (select from transactions t where t.payment_link_id = l.id and t.status = 'failed' and not exists (
      select from transactions n where n.payment_link_id = l.id and (n.created_at, n.id) > (t.created_at, t.id))))
on conflict do nothing;
