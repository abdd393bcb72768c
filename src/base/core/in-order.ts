/** Runs asynchronous tasks one after the other in the order of the calls, also after a task has failed. */
export function inOrder(): <Made>(work: () => Promise<Made>) => Promise<Made> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  };
}
