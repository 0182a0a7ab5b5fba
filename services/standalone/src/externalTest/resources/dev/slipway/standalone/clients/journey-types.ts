import type { components, paths } from './schema';

const env = process.env as Record<string, string>;

type CreateAppInstance = components['schemas']['CreateAppInstance'];
type AppInstance =
  paths['/api/v1/projects/{project_id}/app-instances']['post']['responses'][202]['content']['application/json'];
type ApiError = components['schemas']['Error'];
type AppInstancePage = components['schemas']['AppInstancePage'];
type Me = components['schemas']['Me'];

async function call<T>(method: string, path: string, body?: unknown): Promise<{ status: number; body: T }> {
  const response = await fetch(env.BASE_URL + path, {
    method,
    headers: { authorization: 'Bearer ' + env.TOKEN, 'content-type': 'application/json' },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as T };
}

async function main(): Promise<void> {
  const collection = '/api/v1/projects/' + env.PROJECT + '/app-instances';
  const me = await call<Me>('GET', '/api/v1/iam/me');
  console.log('me ' + me.body.principal_id);
  const launch: CreateAppInstance = { app_slug: env.APP, version: env.VERSION, display_name: 'typed fetch' };
  const created = await call<AppInstance>('POST', collection, launch);
  let read = await call<AppInstance>('GET', collection + '/' + created.body.id);
  if (read.body.id !== created.body.id || read.body.status === 'deleted') {
    throw new Error('unexpected ' + JSON.stringify(read));
  }
  for (let attempt = 0; read.body.status !== 'running' && attempt < 600; attempt++) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    read = await call<AppInstance>('GET', collection + '/' + created.body.id);
  }
  console.log('then ' + read.body.status);
  let page = await call<AppInstancePage>('GET', collection + '?limit=1');
  let isListed = page.body.items.some((item) => item.id === created.body.id);
  while (page.body.next_cursor !== null) {
    page = await call<AppInstancePage>('GET', collection + '?limit=1&cursor=' + encodeURIComponent(page.body.next_cursor));
    isListed = isListed || page.body.items.some((item) => item.id === created.body.id);
  }
  console.log('listed ' + isListed);
  const deleted = await call<AppInstance>('DELETE', collection + '/' + created.body.id);
  console.log('deleted ' + deleted.body.status);
  const error = await call<ApiError>('GET', collection + '/00000000-0000-7000-8000-000000000000');
  console.log('error ' + error.status + ' ' + JSON.stringify(error.body));
}

main().catch((e) => {
  console.error(e);
  process.exit(1);
});
