import { closeSync, fsyncSync, mkdirSync, openSync, readdirSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Command, Report } from './messages';

/** What the adapter remembers of an instance. A file per instance, replaced atomically, so that a crash loses nothing (P-2, P-33). */
export interface InstanceRecord {
  readonly instanceId: string;
  /** The highest generation seen; commands with a lower one are stale (P-15). */
  generation: number;
  deleted: boolean;
  /** Ids of all commands seen (P-11). */
  seen: string[];
  /** Commands that have not ended. */
  open: Command[];
  /** Reports that the broker has not confirmed; they are resent with the same ids (P-32). */
  unsent: { readonly commandId: string; readonly report: Report }[];
}

export class Journal {
  private readonly directory: string;
  private readonly records = new Map<string, InstanceRecord>();

  constructor(dataDir: string) {
    this.directory = join(dataDir, 'journal');
    mkdirSync(this.directory, { recursive: true, mode: 0o700 });
    for (const file of readdirSync(this.directory)) {
      if (file.endsWith('.json')) {
        const record = JSON.parse(readFileSync(join(this.directory, file), 'utf8')) as InstanceRecord;
        this.records.set(record.instanceId, record);
      }
    }
  }

  all(): InstanceRecord[] {
    return [...this.records.values()];
  }

  get(instanceId: string): InstanceRecord {
    let record = this.records.get(instanceId);
    if (record === undefined) {
      record = { instanceId, generation: 0, deleted: false, seen: [], open: [], unsent: [] };
      this.records.set(instanceId, record);
    }
    return record;
  }

  save(record: InstanceRecord): void {
    const file = join(this.directory, `${record.instanceId}.json`);
    const descriptor = openSync(`${file}.tmp`, 'w', 0o600);
    try {
      writeSync(descriptor, JSON.stringify(record));
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(`${file}.tmp`, file);
  }
}
