/**
 * Returns a query for columns of the latest transaction `t` of the link `l`. A link has several if bank debits came back and it was paid
 * again.
 */
export function latestTransactionSql(columns: string): string {
  return `select ${columns} from transactions t where t.payment_link_id = l.id order by t.created_at desc, t.id desc limit 1`;
}
