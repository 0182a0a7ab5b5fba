import { setTimeout as sleep } from 'node:timers/promises';
import type { Journal } from './journal';
import { kindOf, raisesGeneration, type Command, type DesiredInstance, type ReportDetail } from './messages';
import type { PlatformClient } from './platform';
import type { Reporter } from './reporter';
import type { ProcessRuntime, Workload } from './runtime';

/** Why a command ends before it is complete. */
class AbandonedError extends Error {
  constructor(
    readonly outcome: 'failed' | 'canceled' | 'superseded',
    reason: string,
  ) {
    super(reason);
  }
}

/** Executes commands: one at a time per instance, instances independently of each other (P-14). */
export class Adapter {
  private readonly queues = new Map<string, Promise<void>>();
  private readonly running = new Map<string, AbortController>();

  constructor(
    private readonly journal: Journal,
    private readonly runtime: ProcessRuntime,
    private readonly reporter: Reporter,
    private readonly platform: PlatformClient,
  ) {}

  /** Compares the runtime with the desired state and resumes what an earlier process did not complete (P-33 to P-35). */
  async reconcile(): Promise<void> {
    const desired = await this.platform.desiredState();
    const listed = new Set(desired.map((item) => item.app_instance_id));
    for (const instanceId of this.runtime.instanceIds()) {
      if (!listed.has(instanceId)) {
        await this.runtime.remove(instanceId);
      }
    }
    for (const record of this.journal.all()) {
      if (listed.has(record.instanceId) || record.deleted) {
        this.reporter.flush(record.instanceId);
        record.open.forEach((command) => this.enqueue(command));
      }
    }
    for (const item of desired) {
      item.open_commands.forEach((command) => this.accept(command));
      this.relaunchIfMissing(item);
    }
  }

  /** An instance that stopped with the adapter is launched again, once, under its last command; a failed one stays as it is. */
  private relaunchIfMissing(item: DesiredInstance): void {
    const record = this.journal.get(item.app_instance_id);
    const isMissing = this.runtime.find(item.app_instance_id, item.generation) === null;
    if (item.desired !== 'running' || item.status === 'failed' || item.command_id === null || record.open.length > 0 || !isMissing) {
      return;
    }
    const { org_id, project_id, app_instance_id, generation, config } = item;
    const command: Command = {
      event_id: item.command_id,
      event_type: 'runtime.command.deploy',
      occurred_at: new Date().toISOString(),
      version: 1,
      correlation_id: item.correlation_id ?? item.command_id,
      payload: { org_id, project_id, app_instance_id, generation, config },
    };
    if (record.seen.includes(command.event_id)) {
      this.enqueue(command);
    } else {
      this.accept(command);
    }
  }

  /** Persists a command and queues it; returns when the offset can be committed (P-2). */
  accept(command: Command): void {
    const record = this.journal.get(command.payload.app_instance_id);
    const kind = kindOf(command);
    if (record.seen.includes(command.event_id) || command.payload.generation < record.generation) {
      return; // known (P-11) or stale (P-15)
    }
    record.seen.push(command.event_id);
    record.open.push(command);
    if (raisesGeneration(kind)) {
      record.generation = command.payload.generation;
    }
    this.journal.save(record);
    this.reporter.report(command, 'accepted');
    if (kind === 'cancel') {
      this.running.get(command.payload.canceled_command_id ?? '')?.abort(new AbandonedError('canceled', 'canceled by request'));
      this.end(command);
      return;
    }
    if (kind === 'delete') {
      this.supersede(command);
    }
    this.enqueue(command);
  }

  /** A delete does not wait for the work that it stops (P-24). */
  private supersede(deletion: Command): void {
    for (const open of this.journal.get(deletion.payload.app_instance_id).open) {
      if (open.event_id !== deletion.event_id) {
        this.running.get(open.event_id)?.abort(new AbandonedError('superseded', 'the instance is being deleted'));
      }
    }
  }

  private enqueue(command: Command): void {
    const instanceId = command.payload.app_instance_id;
    const before = this.queues.get(instanceId) ?? Promise.resolve();
    this.queues.set(
      instanceId,
      before.then(() => this.execute(command)),
    );
  }

  private async execute(command: Command): Promise<void> {
    const kind = kindOf(command);
    if (kind !== 'delete' && command.payload.generation < this.journal.get(command.payload.app_instance_id).generation) {
      this.end(command); // superseded while it waited
      return;
    }
    const abort = new AbortController();
    this.running.set(command.event_id, abort);
    const timer = this.limit(command, abort);
    try {
      switch (kind) {
        case 'deploy':
          return await this.deploy(command, abort.signal);
        case 'upgrade':
        case 'rollback':
          return await this.replace(command, abort.signal);
        case 'operate':
          return await this.operate(command, abort.signal);
        case 'delete':
          return await this.remove(command);
        case 'member':
        case 'cancel':
          throw new AbandonedError('failed', `this adapter does not support ${kind}`);
      }
    } catch (error) {
      this.reportFailure(command, abort.signal.aborted ? abort.signal.reason : error);
    } finally {
      clearTimeout(timer);
      this.running.delete(command.event_id);
      this.platform.forgetCommandToken(command.event_id);
      this.end(command);
    }
  }

  /** Stops a command at its deadline (P-16). */
  private limit(command: Command, abort: AbortController): NodeJS.Timeout | undefined {
    const { deadline_at } = command.payload;
    if (deadline_at === undefined || kindOf(command) === 'delete') {
      return undefined;
    }
    const late = new AbandonedError('failed', 'The command was not complete at its deadline.');
    const remainingMs = Date.parse(deadline_at) - Date.now();
    if (remainingMs <= 0) {
      abort.abort(late);
      return undefined;
    }
    return setTimeout(() => abort.abort(late), Math.min(remainingMs, 2 ** 31 - 1));
  }

  private async deploy(command: Command, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { app_instance_id, generation } = command.payload;
    try {
      const workload = await this.runtime.start(app_instance_id, generation, command.payload.config ?? {}, signal);
      await this.runtime.stopOthers(app_instance_id, generation);
      this.reporter.report(command, 'running', endpointsOf(workload));
    } catch (error) {
      await this.runtime.remove(app_instance_id);
      throw error;
    }
  }

  /** The old version runs until the new one is healthy (P-22). */
  private async replace(command: Command, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { app_instance_id, generation } = command.payload;
    try {
      const workload = await this.runtime.start(app_instance_id, generation, command.payload.config ?? {}, signal);
      await this.runtime.stopOthers(app_instance_id, generation);
      this.reporter.report(command, 'operation', { status: 'succeeded', ...endpointsOf(workload) });
    } catch (error) {
      const failed = this.runtime.find(app_instance_id, generation);
      if (failed !== null) {
        await this.runtime.stop(failed);
      }
      throw error;
    }
  }

  private async operate(command: Command, signal: AbortSignal): Promise<void> {
    if (command.payload.operation !== 'echo.wait') {
      throw new AbandonedError('failed', `there is no operation ${String(command.payload.operation)}`);
    }
    const seconds = Number(command.payload.input?.['seconds'] ?? 0);
    await sleep(seconds * 1_000, undefined, { signal });
    this.reporter.report(command, 'operation', { status: 'succeeded', output: { waited_seconds: seconds } });
  }

  private async remove(command: Command): Promise<void> {
    await this.runtime.remove(command.payload.app_instance_id);
    this.journal.get(command.payload.app_instance_id).deleted = true;
    this.reporter.report(command, 'deleted');
  }

  private reportFailure(command: Command, error: unknown): void {
    const outcome = error instanceof AbandonedError ? error.outcome : 'failed';
    const reason = error instanceof Error ? error.message : String(error);
    if (outcome === 'superseded') {
      return; // the command has become stale and needs no report (P-17)
    }
    const kind = kindOf(command);
    if (kind === 'deploy' || kind === 'delete') {
      this.reporter.report(command, 'failed', { reason });
    } else {
      this.reporter.report(command, 'operation', { status: outcome, reason });
    }
  }

  private end(command: Command): void {
    const record = this.journal.get(command.payload.app_instance_id);
    record.open = record.open.filter((open) => open.event_id !== command.event_id);
    this.journal.save(record);
  }
}

function endpointsOf(workload: Workload): ReportDetail {
  return { endpoints: [{ name: 'http', url: workload.url }] };
}
