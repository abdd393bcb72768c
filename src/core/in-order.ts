/** Asynchronous work one after the other, in the order in which it was asked for, whatever became of the work before. */
export function inOrder(): <Made>(work: () => Promise<Made>) => Promise<Made> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  };
}
