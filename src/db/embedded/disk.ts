import * as fs from 'node:fs';
import type { PGlite } from '@electric-sql/pglite';
import { type EngineEnded, type EngineModule, guardEngine } from './guard-engine.ts';

/** The parts of the WebAssembly file system that we use. */
interface Stream {
  nfd: number;
  node: { mode: number; name: string };
}
interface WasmFs {
  ErrnoError: new (errno: number) => Error;
  streams: (Partial<Stream> | null)[];
  lookupNode(parent: unknown, name: string): object;
  destroyNode(node: object): void;
}
interface WasmModule extends EngineModule {
  FS: WasmFs;
  NODEFS: {
    node_ops: { mknod(parent: unknown, name: string, ...rest: unknown[]): object };
    stream_ops: { fsync?: (stream: Stream) => number };
    convertNodeCode(error: unknown): number;
  };
}

export interface EmbeddedDisk {
  /** The `fs` and `startParams` to open PGlite with. */
  options: { fs: never; startParams: string[] };
  /** How many 16 MiB files the write-ahead log has started since opening. */
  segments(): number;
  /** How often the log was synced since opening. */
  syncs(): number;
  /** Closes the descriptors of an engine that ended without closing its files. */
  abandon(): void;
}

export interface EmbeddedDiskOptions {
  root: string;
  /** The engine ended in the middle of its work. No call enters it any more. */
  onEnd: (error: EngineEnded) => void;
}

const IS_DIRECTORY = 0o040000;
const FILE_KIND = 0o170000;
const LOG_SEGMENT = /^[0-9A-F]{24}$/;

/**
 * PGlite runs PostgreSQL with fsync switched off, and its file system does nothing for that call. Both are fixed here:
 * every fsync of PostgreSQL, of the log at a commit and of data files at a checkpoint, reaches the disk.
 */
export function embeddedDisk(
  pglite: typeof PGlite,
  NodeFs: new (root: string) => object,
  { root, onEnd }: EmbeddedDiskOptions,
): EmbeddedDisk {
  let streams: (Partial<Stream> | null)[] = [];
  let segment = '';
  let begun = 0;
  let syncs = 0;
  const fsync = ({ nfd, node }: Stream): number => {
    if ((node.mode & FILE_KIND) === IS_DIRECTORY) fs.fsyncSync(nfd);
    else fs.fdatasyncSync(nfd);
    if (!LOG_SEGMENT.test(node.name)) return 0;
    syncs++;
    if (node.name > segment) {
      segment = node.name;
      begun++;
    }
    return 0;
  };
  const disk = new NodeFs(root) as {
    init(
      pg: unknown,
      options: unknown,
    ): Promise<{ emscriptenOpts: { preRun: ((module: WasmModule) => void)[] } }>;
  };
  const init = disk.init.bind(disk);
  disk.init = async (pg, options) => {
    const result = await init(pg, options);
    result.emscriptenOpts.preRun.push((module) => {
      const { FS, NODEFS } = module;
      streams = FS.streams;
      guardEngine(module, onEnd);
      forgetUnmade(module);
      NODEFS.stream_ops.fsync = (stream) => {
        try {
          return fsync(stream);
        } catch (error) {
          // An errno that PostgreSQL can handle; anything else would end it in the middle of its work.
          throw new FS.ErrnoError(NODEFS.convertNodeCode(error));
        }
      };
    });
    return result;
  };
  return {
    options: { fs: disk as never, startParams: startParams(pglite) },
    segments: () => begun,
    syncs: () => syncs,
    abandon: () => {
      for (const nfd of new Set(streams.splice(0).map((stream) => stream?.nfd)))
        if (nfd !== undefined) fs.closeSync(nfd);
    },
  };
}

/**
 * A file that could not be made stays among the names that the WebAssembly file system keeps in memory. PostgreSQL
 * would then for ever get "exists" when it makes the file and "missing" when it opens it.
 */
function forgetUnmade({ FS, NODEFS }: WasmModule): void {
  const { mknod } = NODEFS.node_ops;
  NODEFS.node_ops.mknod = (parent, name, ...rest) => {
    try {
      return mknod(parent, name, ...rest);
    } catch (error) {
      FS.destroyNode(FS.lookupNode(parent, name));
      throw error;
    }
  };
}

function startParams(pglite: typeof PGlite): string[] {
  const settings = {
    // The file system maps fsync; fdatasync would still do nothing.
    wal_sync_method: 'fsync',
    // The default of 128 MB is a third of the memory of the process.
    shared_buffers: '32MB',
    min_wal_size: '32MB',
    TimeZone: 'UTC',
    DateStyle: 'ISO',
  };
  const withoutNoFsync = pglite.defaultStartParams.filter((param) => param !== '-F');
  return [
    ...withoutNoFsync,
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ];
}
