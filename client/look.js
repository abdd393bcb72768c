/** Questions before somebody joins, each on a link of its own, which ends with the answer. */
import { connect } from './connect.js';

const ANSWER_MS = 4000;

/** What a token is for: the message `invited`. It is not used up. Rejects with the code of what is wrong. */
export const look = (url, token, { roomId } = {}) =>
  ask(url, { type: 'look', token, ...(roomId ? { room_id: roomId } : {}) }, 'invited');

/** Keeps the place of a person whose page was loaded anew for another 30 s, until they press a button and `resume`. */
export const hold = (url, resumeKey) => ask(url, { type: 'hold', resume_key: resumeKey }, 'held');

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
