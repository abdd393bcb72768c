/** WebSocket to the service. */

/** A longer pass would not fit into the head of a request. */
const MAX_PASS_LENGTH = 4000;

/**
 * Opens the WebSocket, and presents the token, or the resume key of a returning participant, in the upgrade. Until they
 * have joined, the service limits such links separately from links without a token, so that neither can block the
 * other. The token is not consumed.
 */
export function connect(url, pass = '') {
  const shows = pass !== '' && pass.length <= MAX_PASS_LENGTH;
  return new WebSocket(url, shows ? ['callweave', `callweave.pass.${pass}`] : ['callweave']);
}
