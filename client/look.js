/** Queries before joining, and the feedback at the end, each on its own link, which is closed after the answer. */
import { connect } from './connect.js';

const ANSWER_MS = 4000;

/** Returns the content of a token: the message `invited`. The token is not consumed. Rejects with the error code. */
export const look = (url, token, { roomId } = {}) =>
  ask(url, { type: 'look', token, ...(roomId ? { room_id: roomId } : {}) }, 'invited');

/**
 * Keeps the position of a participant whose page was reloaded for another 30 s, until they press a button and `resume`.
 */
export const hold = (url, resumeKey) => ask(url, { type: 'hold', resume_key: resumeKey }, 'held');

/** Rates the session from 1 to 5 after it, with a text or without, in rooms that ask for it. */
export const sendFeedback = (url, resumeKey, { rating, text }) =>
  ask(url, { type: 'feedback', resume_key: resumeKey, rating, ...(text ? { text } : {}) }, 'thanks');

function ask(url, question, answer) {
  return new Promise((resolve, reject) => {
    const socket = connect(url, question.token ?? question.resume_key);
    const timer = setTimeout(() => socket.close(), ANSWER_MS);
    socket.onopen = () => socket.send(JSON.stringify(question));
    socket.onmessage = ({ data }) => {
      const message = JSON.parse(data);
      if (message.type === answer) resolve(message);
      else reject(new Error(message.code ?? 'closed'));
      socket.close();
    };
    socket.onclose = () => {
      clearTimeout(timer);
      reject(new Error('closed'));
    };
  });
}
