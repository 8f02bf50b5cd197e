/** The members that have a value: what is not given leaves no trace, neither in JSON nor in a comparison. */
export function defined<T extends object>(members: T): Partial<T> {
  const found: Partial<T> = {};
  for (const name of Object.keys(members) as (keyof T)[])
    if (members[name] !== undefined) found[name] = members[name];
  return found;
}
