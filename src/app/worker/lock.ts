/** One user of the model at a time: training steps, chat and measurements take turns. */

export type Lock = <T>(task: () => Promise<T>) => Promise<T>;

/** Tasks run one after the other in the order they came; one that fails does not hold up the next. */
export function createLock(): Lock {
  let tail: Promise<unknown> = Promise.resolve();
  return (task) => {
    const result = tail.then(task, task);
    tail = result.catch(() => undefined);
    return result;
  };
}
