/**
 * Labels of a metric with their known values, which are 0 from the start, so that panels and alerts can compare them with the
 * past. Null for a label whose values are not known.
 */
export type Labels = Readonly<Record<string, readonly string[] | null>>;

/** Returns each combination of the labels' known values; none if a label has none, or if there is no label. */
export function combineLabels(labels: Labels): Record<string, string>[] {
  const names = Object.entries(labels);
  if (names.length === 0) return [];
  return names.reduce<Record<string, string>[]>(
    (combinations, [name, values]) =>
      combinations.flatMap((combination) => (values ?? []).map((value) => ({ ...combination, [name]: value }))),
    [{}],
  );
}
