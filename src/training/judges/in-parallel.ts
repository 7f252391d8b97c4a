/** Several pieces of work at once, so many and no more. */

/**
 * Works the items off in their order, at most `most` at a time. Where one fails no further one begins; those under way come to
 * their end, since what they ask for may be paid for already.
 * @throws what the first failing piece throws
 */
export async function inParallel<T>(
  items: readonly T[],
  most: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const errors: unknown[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < items.length && errors.length === 0) {
      const item = items[next++] as T;
      await work(item).catch((error: unknown) => errors.push(error));
    }
  };
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, worker));
  if (errors.length > 0) throw errors[0];
}
