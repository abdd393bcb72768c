/** Types for the part of the package in use; it has none. */
declare module '@echogarden/svoxpico-wasm' {
  export interface PicoModule {
    readonly HEAPU8: Uint8Array;
    readonly HEAP16: Int16Array;
    readonly HEAP32: Int32Array;
    readonly FS: { writeFile(path: string, bytes: Uint8Array): void; unlink(path: string): void };
    _malloc(bytes: number): number;
    _pico_initialize(memory: number, bytes: number, system: number): number;
    _pico_loadResource(system: number, file: number, resource: number): number;
    _pico_getResourceName(system: number, resource: number, name: number): number;
    _pico_createVoiceDefinition(system: number, voice: number): number;
    _pico_addResourceToVoiceDefinition(system: number, voice: number, resource: number): number;
    _pico_newEngine(system: number, voice: number, engine: number): number;
    _pico_putTextUtf8(engine: number, text: number, bytes: number, taken: number): number;
    _pico_getData(engine: number, output: number, bytes: number, made: number, type: number): number;
  }
  export default function createPico(options: {
    print(line: string): void;
    printErr(line: string): void;
  }): Promise<PicoModule>;
}
