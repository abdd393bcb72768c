/**
 * UDP sockets by calls of the system: one `epoll` and one piece of memory per thread, and an unconnected socket per
 * address, whose packets are read by `turn`.
 *
 * Invariants
 *  - no call waits, except `turn` with a time to wait;
 *  - each open descriptor is in shared memory, so that the main thread can close those of a thread that died. It is
 *    removed before it is closed, because the system may assign its number again at once;
 *  - time of arrival is that of the system, so that packets that wait for a turn do not look like jitter.
 */
import { isIPv6, SocketAddress } from 'node:net';
import { getSystemErrorName } from 'node:util';
import { withoutIpv4Mapping } from '../../../base/core/source-key.ts';
import { socketAddress } from '../wildcard.ts';
import type { DatagramSocket, DatagramSocketHost, Datagrams } from './datagrams.ts';
import { loadSystemCalls, SystemMemory } from './system-calls.ts';

/** Longer packets are dropped; an RTP packet is not longer than an Ethernet frame. */
const SLOT_BYTES = 2_048;
const MAX_EVENTS = 512;
/** A flood delays the audio of a thread by a few milliseconds; the rest of it waits in the system, or is dropped. */
const MAX_PACKETS_PER_TURN = 2_000;
/** A packet that seems older came before a change of the clock. */
const MAX_AGE_MS = 1_000;
const MEMORY_BYTES = 32_768;

const AF_INET = 2;
const AF_INET6 = 10;
/** `SOCK_DGRAM`, `SOCK_NONBLOCK` and `SOCK_CLOEXEC`. */
const SOCKET_TYPE = 2 | 0x800 | 0x80000;
const EPOLL_CLOEXEC = 0x80000;
const EPOLL_ADD = 1;
const EPOLL_DELETE = 2;
const EPOLL_IN = 1;
const SOL_SOCKET = 1;
const SO_TIMESTAMPNS = 35;
const MSG_TRUNC = 0x20;
const MSG_DONTWAIT = 0x40;
const MSG_NOSIGNAL = 0x4000;
const CLOCK_REALTIME = 0;

/** `epoll_event`: 32 bits of events, 64 bits of data; packed on x64 only. Units of 32 bits. */
const EVENT = process.arch === 'x64' ? { size: 3, data: 1 } : { size: 4, data: 2 };
/** `sockaddr_in` has 16 bytes, `sockaddr_in6` has 28; both begin with family and port. */
const NAME_BYTES = 32;
const IPV4_NAME_BYTES = 16;
const IPV6_NAME_BYTES = 28;
/** `msghdr` of 64 bits. Units of 32 bits. */
const MESSAGE = { bytes: 56, name: 0, nameBytes: 2, parts: 4, partCount: 6, control: 8, controlBytes: 10, flags: 12 };
const PART_BYTES = 16;
/** `cmsghdr` (length, level, type), and `timespec`. Units of 32 bits. */
const CONTROL = { bytes: 64, level: 2, type: 3, seconds: 4, nanoseconds: 6 };
const TIMESPEC_BYTES = 16;

export interface SystemDatagramsOptions {
  /** Open descriptors of this thread: epoll's at 0, then those of sockets. 0: none. */
  descriptors: Int32Array;
  nowMs(): number;
}

export class SystemDatagrams implements Datagrams {
  readonly isPolled = true;
  readonly #options: SystemDatagramsOptions;
  readonly #system = loadSystemCalls();
  readonly #memory: SystemMemory;
  readonly #events: number;
  readonly #received: number;
  readonly #sent: number;
  readonly #message: number;
  readonly #control: number;
  readonly #clock: number;
  /** Address that a call reads or writes, and the length of one. */
  readonly #name: number;
  readonly #nameBytes: number;
  /** By number; a socket's number is also the place of its descriptor. */
  readonly #sockets: (SystemSocket | undefined)[] = [undefined];
  readonly #freeNumbers: number[] = [];
  #size = 0;
  /** Views of a received packet, by length, so that a packet needs no object. */
  readonly #views: (Uint8Array | undefined)[] = [];
  /** Time of this turn by the thread's timeline. */
  #turnMs = 0;

  /** Throws if the system does not support the calls. */
  constructor(options: SystemDatagramsOptions) {
    this.#options = options;
    const memory = new SystemMemory(this.#system, MEMORY_BYTES);
    this.#memory = memory;
    this.#events = memory.take(MAX_EVENTS * EVENT.size * 4);
    this.#received = memory.take(SLOT_BYTES);
    this.#sent = memory.take(SLOT_BYTES);
    this.#message = memory.take(MESSAGE.bytes);
    this.#control = memory.take(CONTROL.bytes);
    this.#clock = memory.take(TIMESPEC_BYTES);
    this.#name = memory.take(NAME_BYTES);
    this.#nameBytes = memory.take(4);
    const part = memory.take(PART_BYTES);
    memory.writePointer(part, this.#received);
    memory.words[(part >>> 2) + 2] = SLOT_BYTES;
    memory.writePointer(this.#message + MESSAGE.name * 4, this.#name);
    memory.writePointer(this.#message + MESSAGE.parts * 4, part);
    memory.words[(this.#message >>> 2) + MESSAGE.partCount] = 1;
    memory.writePointer(this.#message + MESSAGE.control * 4, this.#control);
    const descriptor: number = this.#system.epollCreate(EPOLL_CLOEXEC);
    if (descriptor < 0) throw new Error(this.#errorCode());
    options.descriptors[0] = descriptor;
  }

  get size(): number {
    return this.#size;
  }

  open({ host, port }: { host: string; port: number }, events: DatagramSocketHost): DatagramSocket {
    const number = this.#freeNumbers.pop() ?? this.#sockets.length;
    const socket = new SystemSocket(this, { number, localHost: host, host: events });
    this.#sockets[number] = socket;
    this.#size++;
    const refusal = number < this.#options.descriptors.length ? this.#bind(number, host, port) : 'EMFILE';
    if (refusal === undefined) events.bound(port === 0 ? this.#localPort(number) : port);
    else {
      socket.close();
      events.refused(refusal);
    }
    return socket;
  }

  turn(waitMs = 0): void {
    const { descriptors } = this.#options;
    const { words } = this.#memory;
    const events = this.#memory.addressOf(this.#events);
    for (let read = 0; read < MAX_PACKETS_PER_TURN; ) {
      const count: number = this.#system.epollWait(descriptors[0]!, events, MAX_EVENTS, read === 0 ? waitMs : 0);
      if (count <= 0) return;
      if (read === 0) this.#readClock();
      read += count;
      for (let index = 0; index < count; index++) {
        const number = words[(this.#events >>> 2) + index * EVENT.size + EVENT.data]!;
        // A socket may be closed by the packet of another.
        const socket = this.#sockets[number];
        if (socket) this.#receive(number, socket);
      }
    }
  }

  end(): void {
    for (const socket of this.#sockets) socket?.close();
    this.#closeDescriptor(0);
  }

  /** For `SystemSocket`: sends to an address of `nameOf`. */
  transmit(number: number, packet: Uint8Array, name: Uint8Array): void {
    if (packet.length > SLOT_BYTES || name.length > NAME_BYTES) return;
    const memory = this.#memory;
    memory.bytes.set(packet, this.#sent);
    memory.bytes.set(name, this.#name);
    const packetAddress = memory.addressOf(this.#sent);
    const nameAddress = memory.addressOf(this.#name);
    const flags = MSG_DONTWAIT | MSG_NOSIGNAL;
    const descriptor = this.#options.descriptors[number]!;
    this.#system.sendto(descriptor, packetAddress, packet.length, flags, nameAddress, name.length);
  }

  /** For `SystemSocket`. */
  closeNumber(number: number): void {
    this.#sockets[number] = undefined;
    this.#freeNumbers.push(number);
    this.#size--;
    const { descriptors } = this.#options;
    // A child process that is being started may still have it, which keeps it in the epoll.
    if (descriptors[number]) this.#system.epollControl(descriptors[0]!, EPOLL_DELETE, descriptors[number], 0);
    this.#closeDescriptor(number);
  }

  /** Structure of an address; empty if `host` is not an address. */
  nameOf(host: string, port: number): Uint8Array<ArrayBuffer> {
    const memory = this.#memory;
    const at = this.#name;
    const family = isIPv6(host) ? AF_INET6 : AF_INET;
    memory.bytes.fill(0, at, at + NAME_BYTES);
    const address = memory.addressOf(at + (family === AF_INET6 ? 8 : 4));
    if (this.#system.inetPton(family, host, address) !== 1) return new Uint8Array(0);
    memory.bytes[at] = family;
    memory.bytes[at + 2] = port >>> 8;
    memory.bytes[at + 3] = port;
    return memory.bytes.slice(at, at + (family === AF_INET6 ? IPV6_NAME_BYTES : IPV4_NAME_BYTES));
  }

  /** Returns the error's code; undefined if the socket receives. */
  #bind(number: number, host: string, port: number): string | undefined {
    const { descriptors } = this.#options;
    const { words } = this.#memory;
    const name = this.nameOf(host, port);
    if (name.length === 0) return 'EINVAL';
    const descriptor: number = this.#system.socket(name[0], SOCKET_TYPE, 0);
    if (descriptor < 0) return this.#errorCode();
    descriptors[number] = descriptor;
    const at = this.#name >>> 2;
    const address = this.#memory.addressOf(this.#name);
    words[at] = 1;
    this.#system.setsockopt(descriptor, SOL_SOCKET, SO_TIMESTAMPNS, address, 4);
    this.#memory.bytes.set(name, this.#name);
    if (this.#system.bind(descriptor, address, name.length) < 0) return this.#errorCode();
    words.fill(0, at, at + EVENT.size);
    words[at] = EPOLL_IN;
    words[at + EVENT.data] = number;
    const isWatched = this.#system.epollControl(descriptors[0], EPOLL_ADD, descriptor, address) === 0;
    return isWatched ? undefined : this.#errorCode();
  }

  #localPort(number: number): number {
    const memory = this.#memory;
    memory.words[this.#nameBytes >>> 2] = NAME_BYTES;
    const descriptor = this.#options.descriptors[number]!;
    this.#system.getsockname(descriptor, memory.addressOf(this.#name), memory.addressOf(this.#nameBytes));
    return this.#portInName();
  }

  #receive(number: number, socket: SystemSocket): void {
    const { words } = this.#memory;
    const message = this.#message >>> 2;
    words[message + MESSAGE.nameBytes] = NAME_BYTES;
    words[message + MESSAGE.controlBytes] = CONTROL.bytes;
    const address = this.#memory.addressOf(this.#message);
    const length: number = this.#system.recvmsg(this.#options.descriptors[number]!, address, MSG_DONTWAIT);
    if (length < 0 || length > SLOT_BYTES || (words[message + MESSAGE.flags]! & MSG_TRUNC) !== 0) return;
    const at = this.#received;
    this.#views[length] ??= this.#memory.bytes.subarray(at, at + length);
    const host = socket.sourceHost(words, this.#name >>> 2);
    socket.host.packet(this.#views[length], host, this.#portInName(), this.#arrivalMs());
  }

  #portInName(): number {
    const { bytes } = this.#memory;
    return (bytes[this.#name + 2]! << 8) | bytes[this.#name + 3]!;
  }

  #readClock(): void {
    this.#system.clockGettime(CLOCK_REALTIME, this.#memory.addressOf(this.#clock));
    this.#turnMs = this.#options.nowMs();
  }

  /** Arrival time of the received message, if the system states it; else the time of this turn. */
  #arrivalMs(): number {
    const { words } = this.#memory;
    const control = this.#control >>> 2;
    const clock = this.#clock >>> 2;
    if (words[(this.#message >>> 2) + MESSAGE.controlBytes] === 0) return this.#turnMs;
    if (words[control + CONTROL.level] !== SOL_SOCKET || words[control + CONTROL.type] !== SO_TIMESTAMPNS)
      return this.#turnMs;
    const seconds = (words[clock]! - words[control + CONTROL.seconds]!) | 0;
    const ageMs = seconds * 1e3 + (words[clock + 2]! - words[control + CONTROL.nanoseconds]!) / 1e6;
    return ageMs > 0 && ageMs < MAX_AGE_MS ? this.#turnMs - ageMs : this.#turnMs;
  }

  #closeDescriptor(number: number): void {
    const { descriptors } = this.#options;
    const descriptor = descriptors[number] ?? 0;
    descriptors[number] = 0;
    if (descriptor > 0) this.#system.close(descriptor);
  }

  #errorCode(): string {
    return getSystemErrorName(-this.#system.errorNumber());
  }
}

interface SystemSocketPlace {
  number: number;
  localHost: string;
  host: DatagramSocketHost;
}

class SystemSocket implements DatagramSocket {
  readonly host: DatagramSocketHost;
  readonly #datagrams: SystemDatagrams;
  readonly #place: SystemSocketPlace;
  #isOpen = true;
  /** Last destination. */
  #toHost = '';
  #toPort = 0;
  #toName = new Uint8Array(0);
  /** Last source, as words of its address and as text. */
  readonly #from = new Uint32Array(4);
  #fromHost: string | undefined;

  constructor(datagrams: SystemDatagrams, place: SystemSocketPlace) {
    this.#datagrams = datagrams;
    this.#place = place;
    this.host = place.host;
  }

  send(packet: Uint8Array, host: string, port: number): void {
    if (!this.#isOpen) return;
    if (host !== this.#toHost || port !== this.#toPort) {
      this.#toHost = host;
      this.#toPort = port;
      this.#toName = this.#datagrams.nameOf(socketAddress(host, this.#place.localHost), port);
    }
    if (this.#toName.length > 0) this.#datagrams.transmit(this.#place.number, packet, this.#toName);
  }

  close(closed?: () => void): void {
    if (this.#isOpen) {
      this.#isOpen = false;
      this.#datagrams.closeNumber(this.#place.number);
    }
    closed?.();
  }

  /** Returns the host of the address that begins at this word. */
  sourceHost(words: Uint32Array, at: number): string {
    const isIpv4 = (words[at]! & 0xffff) === AF_INET;
    const from = this.#from;
    const start = isIpv4 ? at + 1 : at + 2;
    const count = isIpv4 ? 1 : 4;
    let isSame = this.#fromHost !== undefined;
    for (let word = 0; word < count; word++) {
      isSame &&= from[word] === words[start + word];
      from[word] = words[start + word]!;
    }
    if (!isSame || this.#fromHost === undefined) this.#fromHost = textOf(from, isIpv4);
    return this.#fromHost;
  }
}

function textOf(address: Uint32Array, isIpv4: boolean): string {
  const bytes = new Uint8Array(address.buffer);
  if (isIpv4) return bytes.subarray(0, 4).join('.');
  const groups = Array.from({ length: 8 }, (_, at) => ((bytes[2 * at]! << 8) | bytes[2 * at + 1]!).toString(16));
  return withoutIpv4Mapping(new SocketAddress({ address: groups.join(':'), family: 'ipv6' }).address);
}
