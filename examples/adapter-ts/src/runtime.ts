import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** A running workload: one process per instance and generation. */
export interface Workload {
  readonly instanceId: string;
  readonly generation: number;
  readonly pid: number;
  readonly url: string;
}

const VARIABLE = 'SLIPWAY_EXAMPLE_INSTANCE';

/**
 * Runs each instance as a Node process that outlives the adapter. The process writes its address into the directory of its instance;
 * /proc tells whether it still runs, so a reused process id is not mistaken for it.
 */
export class ProcessRuntime {
  private readonly directory: string;

  constructor(dataDir: string) {
    this.directory = join(dataDir, 'instances');
    mkdirSync(this.directory, { recursive: true });
  }

  instanceIds(): string[] {
    return readdirSync(this.directory);
  }

  /** Returns the workload of a generation if its process runs, whether it has an address yet or not. */
  find(instanceId: string, generation: number): Workload | null {
    const file = this.file(instanceId, generation);
    const pid = findPid(instanceId, generation);
    if (pid === null) {
      return null;
    }
    return { instanceId, generation, pid, url: existsSync(file) ? readFileSync(file, 'utf8') : '' };
  }

  /** Starts the process, or adopts the one that an earlier adapter process started, and waits until it is healthy. */
  async start(instanceId: string, generation: number, config: Record<string, unknown>, signal: AbortSignal): Promise<Workload> {
    if (config['broken'] === true) {
      throw new Error('the configuration says that this app cannot start');
    }
    if (this.find(instanceId, generation) === null) {
      this.launch(instanceId, generation, config);
    }
    for (;;) {
      signal.throwIfAborted();
      const workload = this.find(instanceId, generation);
      if (workload !== null && workload.url !== '' && (await isHealthy(workload.url))) {
        return workload;
      }
      await sleep(50, undefined, { signal });
    }
  }

  private launch(instanceId: string, generation: number, config: Record<string, unknown>): void {
    mkdirSync(join(this.directory, instanceId), { recursive: true });
    rmSync(this.file(instanceId, generation), { force: true });
    const child = spawn(process.execPath, [join(__dirname, 'workload.js'), this.file(instanceId, generation)], {
      detached: true,
      stdio: 'ignore',
      env: {
        [VARIABLE]: instanceId,
        [`${VARIABLE}_GENERATION`]: String(generation),
        READY_AFTER_MS: String(config['ready_after_ms'] ?? 0),
      },
    });
    child.unref();
  }

  async stop(workload: Workload): Promise<void> {
    kill(workload.pid);
    while (findPid(workload.instanceId, workload.generation) !== null) {
      await sleep(20);
    }
    rmSync(this.file(workload.instanceId, workload.generation), { force: true });
  }

  /** Stops every process of the instance except that of one generation. */
  async stopOthers(instanceId: string, keep: number): Promise<void> {
    for (const workload of findAll(instanceId)) {
      if (workload.generation !== keep) {
        await this.stop({ instanceId, url: '', ...workload });
      }
    }
  }

  /** Removes every process and file of the instance (P-25). */
  async remove(instanceId: string): Promise<void> {
    await this.stopOthers(instanceId, -1);
    rmSync(join(this.directory, instanceId), { recursive: true, force: true });
  }

  private file(instanceId: string, generation: number): string {
    return join(this.directory, instanceId, `${generation}.url`);
  }
}

async function isHealthy(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/health`, { signal: AbortSignal.timeout(2_000) })).ok;
  } catch {
    return false;
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // it has ended already
  }
}

function findPid(instanceId: string, generation: number): number | null {
  return findAll(instanceId).find((workload) => workload.generation === generation)?.pid ?? null;
}

/** Finds the processes of an instance by their environment. */
function findAll(instanceId: string): { pid: number; generation: number }[] {
  const found = [];
  for (const name of readdirSync('/proc')) {
    if (/^\d+$/.test(name)) {
      const variables = readEnvironment(name);
      if (variables.includes(`${VARIABLE}=${instanceId}`)) {
        const generation = variables.find((line) => line.startsWith(`${VARIABLE}_GENERATION=`))?.split('=')[1];
        found.push({ pid: Number(name), generation: Number(generation) });
      }
    }
  }
  return found;
}

function readEnvironment(pid: string): string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
  } catch {
    return []; // it has ended, or belongs to another user
  }
}

/** Writes the address of a workload; used by the workload itself. */
export function writeAddress(file: string, url: string): void {
  writeFileSync(file, url);
}
