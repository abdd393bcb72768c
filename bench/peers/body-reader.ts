/** A bare HTTP server that parses a large JSON body and responds: the peer for reading requests. */
import { createServer } from 'node:http';

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const { broadcast_numbers_array: numbers } = JSON.parse(Buffer.concat(chunks).toString()) as {
      broadcast_numbers_array: string[];
    };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ numbers: numbers.length }));
  });
});
server.listen(Number(process.argv[2]), '127.0.0.1', () => process.stdout.write('listening\n'));
