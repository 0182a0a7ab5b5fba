import { readFileSync } from 'node:fs';
import type { KafkaConfig, SASLOptions } from 'kafkajs';

/** The settings of the adapter, from environment variables. */
export interface Config {
  readonly baseUrl: string;
  readonly kafka: KafkaConfig;
  readonly topicPrefix: string;
  readonly adapterId: string;
  readonly adapterSecret: string;
  readonly dataDir: string;
  readonly backend: string;
}

export function loadConfig(env: NodeJS.ProcessEnv): Config {
  const required = (name: string): string => {
    const value = env[name];
    if (value === undefined || value === '') {
      throw new Error(`${name} is not set`);
    }
    return value;
  };
  return {
    baseUrl: required('SLIPWAY_BASE_URL'),
    kafka: {
      clientId: 'slipway-adapter-example',
      brokers: required('SLIPWAY_KAFKA_BOOTSTRAP').split(','),
      ssl: env['SLIPWAY_KAFKA_TLS'] === 'true',
      retry: { retries: 20 },
      ...saslOf(env),
    },
    topicPrefix: env['SLIPWAY_TOPIC_PREFIX'] ?? '',
    adapterId: required('SLIPWAY_ADAPTER_ID'),
    adapterSecret: readFileSync(required('SLIPWAY_ADAPTER_SECRET_FILE'), 'utf8').trim(),
    dataDir: required('SLIPWAY_ADAPTER_DATA_DIR'),
    backend: env['SLIPWAY_RUNTIME_BACKEND'] ?? 'bare_metal',
  };
}

/** SASL is used if a user name is set; the password is read from a file so that it is not visible in the process list. */
function saslOf(env: NodeJS.ProcessEnv): { sasl?: SASLOptions } {
  const username = env['SLIPWAY_KAFKA_SASL_USERNAME'];
  const passwordFile = env['SLIPWAY_KAFKA_SASL_PASSWORD_FILE'];
  if (username === undefined || passwordFile === undefined) {
    return {};
  }
  const password = readFileSync(passwordFile, 'utf8').trim();
  switch (env['SLIPWAY_KAFKA_SASL_MECHANISM'] ?? 'scram-sha-512') {
    case 'plain':
      return { sasl: { mechanism: 'plain', username, password } };
    case 'scram-sha-256':
      return { sasl: { mechanism: 'scram-sha-256', username, password } };
    case 'scram-sha-512':
      return { sasl: { mechanism: 'scram-sha-512', username, password } };
    default:
      throw new Error('SLIPWAY_KAFKA_SASL_MECHANISM is not one of plain, scram-sha-256, scram-sha-512');
  }
}
