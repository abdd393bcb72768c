/** callweave.yaml. Made of schemas/config.schema.json by `npm run types`: edit those, then make it again. */
import type { Json, JsonObject } from '../base/core/json.ts';

export type ConfigFile = {
  data_directory: string;
  flows_directory?: string;
  http: {
    host: string;
    port: number;
    public_url?: string;
    cors_origins: string[];
    trusted_proxies: string[];
  };
  studio: boolean;
  sip: {
    host: string;
    port: number;
    tcp: boolean;
    advertised_host?: string;
    tls?: {
      port: number;
      cert: string;
      key: string;
      ca?: string;
      client_ca?: string;
      verify_client?: 'optional' | 'required';
    };
    srtp?: 'off' | 'optional' | 'required';
    rtp_ports: [number, number];
    rtp_sockets: 'auto' | 'node';
    users: ({
      name: string;
      password: string | {
        env?: string;
        file?: string;
      };
      project?: string;
      srtp?: 'off' | 'optional' | 'required';
    })[];
    digest_algorithms: ('MD5' | 'SHA-256')[];
    routes: ({
      prefix?: string;
      uri?: string;
      gateways?: string[];
      username?: string;
      password?: string | {
        env?: string;
        file?: string;
      };
      transport?: 'udp' | 'tcp' | 'tls';
      tls?: {
        cert: string;
        key: string;
      };
      register?: boolean;
      failover_on?: (number | '4xx' | '5xx')[];
      try_timeout?: string;
      calls_per_second?: number;
      max_calls?: number;
      strip?: number;
      add?: string;
      from_domain?: string;
      from_user?: string;
      country?: string;
      identity?: 'pai' | 'ppi' | 'from';
      headers?: Record<string, string | number | boolean | null>;
      keepalive?: string;
      srtp?: 'off' | 'optional' | 'required';
    })[];
    headers: {
      read: string[];
      sensitive: string[];
    };
    accept_from?: string[];
    edges: string[];
    trace: 'off' | 'failed' | 'all';
    hep?: {
      host: string;
      port: number;
      capture_id: number;
      password?: string | {
        env?: string;
        file?: string;
      };
    };
    limits: {
      invites_per_second: number;
      invite_burst: number;
      drop_scanners: boolean;
      calls: number;
      unanswered_calls: number;
      silence: string;
    };
    allow_sip_uris?: string[];
  };
  projects: ({
    app_id: string;
    app_key: string | {
      env?: string;
      file?: string;
    };
    name?: string;
    webhook_secret?: string | {
      env?: string;
      file?: string;
    };
    previous?: {
      app_key?: string | {
        env?: string;
        file?: string;
      };
      webhook_secret?: string | {
        env?: string;
        file?: string;
      };
      valid_until: string;
    };
    webhook_format?: 'plain' | 'encrypted';
    video_webhook?: string;
    strict_bridge_state?: boolean;
    cli_policy?: 'own' | 'any';
    max_calls?: number;
    calls_per_second?: number;
  })[];
  numbers: ({
    number: string;
    project?: string;
    flow?: string;
    input?: JsonObject;
    webhook?: string;
    greeting?: string | JsonObject | Json[];
    greeting_heard?: 'before_accept' | 'after_connect';
    outbound_greeting?: string | JsonObject | Json[];
    auto_accept?: boolean;
    pin?: string | {
      env?: string;
      file?: string;
    };
    pin_allow_short?: boolean;
  })[];
  rooms: ({
    room_id: string;
    name?: string;
    pin?: string | {
      env?: string;
      file?: string;
    };
    project?: string;
  })[];
  video: {
    host?: string;
    port: number;
    engine_processes: number;
    advertised_host?: string;
    engine: 'embedded' | 'janus';
    janus: {
      program?: string;
      ports: [number, number];
      nodes?: ({
        url: string;
        secret?: string | {
          env?: string;
          file?: string;
        };
        admin_url?: string;
        admin_secret?: string | {
          env?: string;
          file?: string;
        };
      })[];
    };
    max_quality: 'HD' | 'SD' | 'LD';
    dial_in: {
      numbers: {
        phone: string;
        country: string;
        country_code: string;
        toll: boolean;
      }[];
      server_url: string;
      username: string;
      password?: string | {
        env?: string;
        file?: string;
      };
      sig_servers: string[];
      media_servers: string[];
    };
    ice_servers: ({
      urls: string[];
      username?: string;
      credential?: string | {
        env?: string;
        file?: string;
      };
      shared_secret?: string | {
        env?: string;
        file?: string;
      };
      lifetime: string;
    })[];
  };
  prompts: Record<string, string | {
    text?: string;
    file?: string;
    voice?: 'female' | 'male';
    language?: string;
    languages?: Record<string, {
      text?: string;
      file?: string;
      voice?: 'female' | 'male';
    }>;
  }>;
  schedules: Record<string, {
    timezone?: string;
    open: ({
      days?: string | string[];
      from: string;
      to: string;
    })[];
    holidays?: (string | {
      date: string;
      name?: string;
    })[];
  }>;
  timezone: string;
  env: Record<string, string | number | boolean | {
    env: string;
  }>;
  secrets: Record<string, string | {
    env?: string;
    file?: string;
  }>;
  messages: ({
    name: string;
    url: string;
    method: 'POST' | 'PUT';
    headers: Record<string, string | {
      env?: string;
      file?: string;
    }>;
    body: JsonObject;
    form: boolean;
    from?: string;
  })[];
  assistants: ({
    name: string;
    adapter: 'openai' | 'stream' | 'twilio';
    url: string;
    secret?: string | {
      env?: string;
      file?: string;
    };
    headers: Record<string, string | {
      env?: string;
      file?: string;
    }>;
    voice?: string;
    model?: string;
  })[];
  payments: ({
    name: string;
    adapter: 'generic' | 'stripe' | 'simulated';
    url?: string;
    key?: string | {
      env?: string;
      file?: string;
    };
    moto: boolean;
    headers: Record<string, string | {
      env?: string;
      file?: string;
    }>;
  })[];
  speech: {
    tts: ({
      engine: 'http' | 'openai';
      name?: string;
      url: string;
      key?: string | {
        env?: string;
        file?: string;
      };
      headers: Record<string, string | {
        env?: string;
        file?: string;
      }>;
      voices: {
        female?: string;
        male?: string;
      };
      languages: string[];
      model?: string;
      input: 'text' | 'ssml';
      format?: 'wav' | 'pcm' | 'ulaw';
      sample_rate?: number;
      styles: string[];
      timeout: string;
      requests: number;
    })[];
    asr: ({
      engine: 'vosk' | 'http' | 'openai';
      url?: string;
      key?: string | {
        env?: string;
        file?: string;
      };
      model?: string;
      library?: string;
      languages?: string[];
      sessions: number;
      threads?: number;
      preload?: boolean;
      timeout?: string;
      requests?: number;
    })[];
  };
  admin?: {
    token?: string | {
      env?: string;
      file?: string;
    };
    tokens?: ({
      name: string;
      token: string | {
        env?: string;
        file?: string;
      };
      role: 'full' | 'read';
    })[];
  };
  webhooks: {
    allow_private?: 'none' | 'loopback' | 'all';
  };
  log: {
    level: 'debug' | 'info' | 'warn' | 'error' | 'silent';
    pretty?: boolean;
    numbers: boolean;
  };
  tracing?: {
    otlp_url: string;
    headers: Record<string, string | {
      env?: string;
      file?: string;
    }>;
    sample: number;
    service_name: string;
  };
  asterisk?: {
    url: string;
    user: string;
    password: string | {
      env?: string;
      file?: string;
    };
    application: string;
    trunk: string;
    media_directory?: string;
    media_directory_of_asterisk?: string;
  };
  cluster?: {
    redis: {
      url: string | string[];
      sentinel?: string;
      username?: string;
      password?: string | {
        env?: string;
        file?: string;
      };
      tls?: {
        ca?: string;
        cert?: string;
        key?: string;
      };
    };
    key: string | {
      env?: string;
      file?: string;
    };
    durability: 'memory' | 'replica' | 'disk';
    node?: string;
    address?: string;
    lease_ms: {
      expires: number;
      renewed: number;
      trusted: number;
    };
  };
  broadcasts: {
    calls_per_second: number;
    max_concurrent?: number;
    project: {
      calls_per_second: number;
      max_concurrent: number;
      max_broadcasts: number;
    };
    max_numbers: number;
  };
  limits: {
    calls: number;
    inbound_reserve_percent: number;
    webphone_calls: number;
    requests_per_second: number;
    request_burst: number;
    drain: string;
    keep_calls_days: number;
    keep_trail_days: number;
    keep_recordings_days?: number;
    media_threads?: number;
  };
};
