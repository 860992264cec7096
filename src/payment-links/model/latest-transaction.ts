/**
 * Returns a query for the latest transaction `t` of the link `l`. A link has several if bank debits came back and it was paid again.
 *
 * @param columns what it selects, such as `t.*`
 */
export function latestTransactionSql(columns: string): string {
  return `select ${columns} from transactions t where t.payment_link_id = l.id order by t.created_at desc, t.id desc limit 1`;
}
