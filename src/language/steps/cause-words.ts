/** Q.850 causes by their names in `hangup` and `reject`. */
export const causeWords: Readonly<Record<string, number>> = {
  normal: 16,
  busy: 17,
  no_answer: 19,
  declined: 21,
  not_found: 1,
  unavailable: 20,
  congestion: 42,
  failure: 41,
};
