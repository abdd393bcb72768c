/** The web socket of the service. */

/** A longer one would not fit into the head of a request. */
const MAX_PASS_LENGTH = 4000;

/**
 * Opens the web socket, and shows the token, or the key of a person who comes back, in the upgrade: clients that do are not
 * in the way of others, nor others in theirs, until they have joined. It is not used up by that.
 */
export function connect(url, pass = '') {
  const shows = pass !== '' && pass.length <= MAX_PASS_LENGTH;
  return new WebSocket(url, shows ? ['callweave', `callweave.pass.${pass}`] : ['callweave']);
}
