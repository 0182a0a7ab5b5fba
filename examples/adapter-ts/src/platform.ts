import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from './config';
import type { DesiredInstance } from './messages';

interface Token {
  readonly value: string;
  readonly renewAt: number;
}

/** Calls the platform's REST API: token exchange (P-6 to P-9) and desired state (P-35). Tokens are kept in memory only. */
export class PlatformClient {
  private readonly tokens = new Map<string, Token>();

  constructor(private readonly config: Config) {}

  /** Returns a token of the adapter itself: for the API, or for the header of heartbeats. */
  adapterToken(audience: 'api' | 'reports'): Promise<string> {
    return this.token(`adapter-${audience}`, 'adapter-token', { audience });
  }

  commandToken(instanceId: string, commandId: string): Promise<string> {
    return this.token(commandId, 'operator-token', { app_instance_id: instanceId, command_id: commandId });
  }

  forgetCommandToken(commandId: string): void {
    this.tokens.delete(commandId);
  }

  async desiredState(): Promise<DesiredInstance[]> {
    const items: DesiredInstance[] = [];
    let cursor: string | null = null;
    do {
      const query: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const response = await fetch(`${this.config.baseUrl}/api/v1/runtime/desired-state?limit=100${query}`, {
        headers: { authorization: `Bearer ${await this.adapterToken('api')}` },
      });
      if (!response.ok) {
        throw new Error(`desired state: the platform returned ${response.status}`);
      }
      const page = (await response.json()) as { items: DesiredInstance[]; next_cursor: string | null };
      items.push(...page.items);
      cursor = page.next_cursor;
    } while (cursor !== null);
    return items;
  }

  /** Retries 408, 409, 429 and 5xx until the platform issues a token, so that no report is lost (P-9). */
  private async token(key: string, endpoint: string, task: Record<string, string>): Promise<string> {
    const cached = this.tokens.get(key);
    if (cached !== undefined && Date.now() < cached.renewAt) {
      return cached.value;
    }
    for (let attempt = 0; ; attempt++) {
      const status = await this.exchange(key, endpoint, task);
      if (typeof status !== 'number') {
        return status.value;
      }
      if (status !== 408 && status !== 409 && status !== 429 && status < 500) {
        throw new Error(`${endpoint}: the platform returned ${status}; check the registration of this adapter`);
      }
      await sleep(Math.min(100 * 2 ** attempt, 5_000) * (0.5 + Math.random() / 2));
    }
  }

  /** Returns the token or the status of the refusal; a connection failure counts as 503. */
  private async exchange(key: string, endpoint: string, task: Record<string, string>): Promise<Token | number> {
    try {
      const response = await fetch(`${this.config.baseUrl}/api/v1/auth/${endpoint}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ adapter_id: this.config.adapterId, adapter_secret: this.config.adapterSecret, ...task }),
        signal: AbortSignal.timeout(10_000),
      });
      if (!response.ok) {
        return response.status;
      }
      const body = (await response.json()) as { access_token: string; expires_in: number };
      // Half of the lifetime is left for the way to the broker (P-8).
      const token = { value: body.access_token, renewAt: Date.now() + body.expires_in * 500 };
      this.tokens.set(key, token);
      return token;
    } catch {
      return 503;
    }
  }
}
