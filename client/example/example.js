/**
 * Example: a room in a custom page. Serve the folder `client/` from an origin that is in `http.cors_origins` of the
 * service, open `example/`, and paste a token of `POST /video/v2/rooms/{room_id}/tokens`.
 */
import { openDevice } from '../devices.js';
import { RoomClient } from '../room-client.js';

const find = (id) => document.getElementById(id);
const names = new Map();

find('join').addEventListener('submit', async (event) => {
  event.preventDefault();
  const { service, token } = Object.fromEntries(new FormData(event.target));
  const room = new RoomClient({ url: `${service.replace(/^http/, 'ws')}/video/v2/connect` });
  follow(room);
  try {
    await room.join(token);
  } catch (error) {
    find('state').textContent = `Not let in: ${error.message}`;
    return;
  }
  // A participant without a camera or a microphone can still watch and listen.
  const tracks = await Promise.allSettled([openDevice('audio'), openDevice('video')]);
  const [audio, video] = tracks.map(({ value }) => value);
  await room.publish({ audio, video });
});

function follow(room) {
  room.addEventListener('state', ({ detail }) => {
    find('state').textContent = detail === 'over' ? `Over: ${room.reason}` : detail;
    find('chat').hidden = detail !== 'in';
  });
  room.addEventListener('message', ({ detail: message }) => {
    if (message.type === 'welcome') for (const one of message.participants) names.set(one.id, one.name);
    if (message.type === 'joined' || message.type === 'changed') {
      names.set(message.participant.id, message.participant.name);
    }
    if (message.type === 'chat') addLine(`${message.name}: ${message.text}`);
  });
  room.addEventListener('track', ({ detail: { mid, track, participant } }) => {
    const item = document.createElement('li');
    item.id = `track-${mid}`;
    const element = document.createElement(track.kind);
    element.autoplay = true;
    element.srcObject = new MediaStream([track]);
    item.append(track.kind === 'video' ? (names.get(participant) ?? '') : '', element);
    find('people').append(item);
  });
  room.addEventListener('trackended', ({ detail: { mid } }) => find(`track-${mid}`)?.remove());
  find('chat').onsubmit = (event) => {
    event.preventDefault();
    const { text } = event.target.elements;
    if (text.value) room.send({ type: 'chat', text: text.value });
    text.value = '';
  };
  find('leave').onclick = () => room.leave();
}

/** As text, never as markup. */
function addLine(text) {
  const line = document.createElement('li');
  line.textContent = text;
  find('lines').append(line);
}
