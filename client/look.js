/** A question before somebody joins: who may enter which room by a token. On a link of its own, which ends with the answer. */

const ANSWER_MS = 4000;

/** What a token is for: the message `invited`. It is not used up. Rejects with the code of what is wrong. */
export function look(url, token, { roomId } = {}) {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url);
    const timer = setTimeout(() => socket.close(), ANSWER_MS);
    socket.onopen = () => socket.send(JSON.stringify({ type: 'look', token, ...(roomId ? { room_id: roomId } : {}) }));
    socket.onmessage = ({ data }) => {
      const message = JSON.parse(data);
      if (message.type === 'invited') resolve(message);
      else reject(new Error(message.code ?? 'closed'));
      socket.close();
    };
    socket.onclose = () => {
      clearTimeout(timer);
      reject(new Error('closed'));
    };
  });
}
