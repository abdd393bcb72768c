/** The mix in which the telephones of a room hear each other. */
export const mixOfRoom = ({ projectId, roomId }: { projectId: string; roomId: string }): string =>
  `room ${projectId} ${roomId}`;
