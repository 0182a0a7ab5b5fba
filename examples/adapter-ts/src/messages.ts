/** The envelope of every command and report (schemas/events/envelope.json). */
export interface Envelope<P> {
  readonly event_id: string;
  readonly event_type: string;
  readonly occurred_at: string;
  readonly version: number;
  readonly correlation_id: string;
  readonly payload: P;
}

/** The fields of commands that this adapter reads. Unknown fields are ignored, because contracts grow (P-3). */
export interface CommandPayload {
  readonly org_id: string;
  readonly project_id: string;
  readonly app_instance_id: string;
  readonly generation: number;
  readonly operation_id?: string;
  readonly deadline_at?: string;
  readonly app_version?: string;
  readonly config?: Record<string, unknown>;
  readonly operation?: string;
  readonly input?: Record<string, unknown>;
  readonly canceled_command_id?: string;
}

export type Command = Envelope<CommandPayload>;

/** The fields of a report beside those that it copies from its command. */
export interface ReportDetail {
  readonly status?: 'succeeded' | 'failed' | 'canceled';
  readonly reason?: string;
  readonly endpoints?: readonly { readonly name: string; readonly url: string }[];
  readonly output?: Record<string, unknown>;
}

export type ReportPayload = ReportDetail & {
  readonly org_id: string;
  readonly project_id: string;
  readonly app_instance_id: string;
  readonly command_id: string;
  readonly generation: number;
  readonly operation_id?: string;
};

export type Report = Envelope<ReportPayload>;

/** An item of the desired state (schemas/openapi/runtime.yaml). */
export interface DesiredInstance {
  readonly app_instance_id: string;
  readonly org_id: string;
  readonly project_id: string;
  readonly generation: number;
  readonly desired: 'running' | 'deleted';
  readonly status: string;
  readonly command_id: string | null;
  readonly correlation_id: string | null;
  readonly config: Record<string, unknown>;
  readonly open_commands: readonly Command[];
}

const PREFIX = 'runtime.command.';
const KINDS = ['deploy', 'upgrade', 'rollback', 'operate', 'cancel', 'delete', 'member'] as const;

export type CommandKind = (typeof KINDS)[number];

export function kindOf(command: Command): CommandKind {
  return command.event_type.slice(PREFIX.length) as CommandKind;
}

export function raisesGeneration(kind: CommandKind): boolean {
  return kind === 'deploy' || kind === 'upgrade' || kind === 'rollback' || kind === 'delete';
}

/** Returns null for a record that is not a command of this protocol version; such records are skipped (P-3). */
export function parseCommand(value: Buffer | null): Command | null {
  try {
    const json = JSON.parse(value?.toString('utf8') ?? '') as Partial<Command>;
    const type = json.event_type ?? '';
    const isKnown = type.startsWith(PREFIX) && (KINDS as readonly string[]).includes(type.slice(PREFIX.length));
    return isKnown && json.version === 1 && json.payload?.app_instance_id !== undefined ? (json as Command) : null;
  } catch {
    return null;
  }
}
