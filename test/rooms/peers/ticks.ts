/** Timers of synthetic peers: on time in the long run, as many as have to be. */
export function every(ms: number, run: () => void): NodeJS.Timeout {
  let dueMs = performance.now() + ms;
  return setInterval(
    () => {
      for (; dueMs <= performance.now(); dueMs += ms) run();
    },
    Math.min(ms, 10),
  );
}
