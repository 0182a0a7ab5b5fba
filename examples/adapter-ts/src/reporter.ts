import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Producer } from 'kafkajs';
import type { Config } from './config';
import type { Journal } from './journal';
import type { Command, Report, ReportDetail } from './messages';
import type { PlatformClient } from './platform';

/** Sends reports in order, each after it is in the journal, and repeats those that the broker has not confirmed (P-32). */
export class Reporter {
  private readonly sending = new Map<string, Promise<void>>();

  constructor(
    private readonly config: Config,
    private readonly journal: Journal,
    private readonly platform: PlatformClient,
    private readonly producer: Producer,
  ) {}

  /** Resolves when the report is in the journal; it is sent in the background. */
  report(command: Command, type: string, detail: ReportDetail = {}): void {
    const { org_id, project_id, app_instance_id, generation, operation_id } = command.payload;
    const report: Report = {
      event_id: randomUUID(),
      event_type: `runtime.report.${type}`,
      occurred_at: new Date().toISOString(),
      version: 1,
      correlation_id: command.correlation_id,
      payload: {
        org_id,
        project_id,
        app_instance_id,
        command_id: command.event_id,
        generation,
        ...(operation_id === undefined ? {} : { operation_id }),
        ...detail,
      },
    };
    const record = this.journal.get(app_instance_id);
    record.unsent.push({ commandId: command.event_id, report });
    this.journal.save(record);
    this.flush(app_instance_id);
  }

  /** Sends what an earlier process could not send. */
  flush(instanceId: string): void {
    const before = this.sending.get(instanceId) ?? Promise.resolve();
    this.sending.set(
      instanceId,
      before.then(() => this.sendAll(instanceId)),
    );
  }

  private async sendAll(instanceId: string): Promise<void> {
    const record = this.journal.get(instanceId);
    for (let next = record.unsent[0]; next !== undefined; next = record.unsent[0]) {
      try {
        const token = await this.platform.commandToken(instanceId, next.commandId);
        await this.send(instanceId, next.report, token);
        record.unsent.shift();
        this.journal.save(record);
      } catch (error) {
        console.log(`report ${next.report.event_id} not sent yet: ${String(error)}`);
        await sleep(1_000);
      }
    }
  }

  async heartbeat(startedAt: Date, instances: number): Promise<void> {
    const beat = {
      event_id: randomUUID(),
      event_type: 'runtime.report.heartbeat',
      occurred_at: new Date().toISOString(),
      version: 1,
      correlation_id: `heartbeat-${this.config.adapterId}`,
      payload: {
        adapter_id: this.config.adapterId,
        runtime_backend: this.config.backend,
        started_at: startedAt.toISOString(),
        software: 'adapter-ts 1.0.0',
        instances,
      },
    };
    await this.send(this.config.adapterId, beat, await this.platform.adapterToken('reports'));
  }

  private async send(key: string, event: unknown, token: string): Promise<void> {
    await this.producer.send({
      topic: `${this.config.topicPrefix}runtime.reports`,
      acks: -1,
      messages: [{ key, value: JSON.stringify(event), headers: { authorization: `Bearer ${token}` } }],
    });
  }
}
