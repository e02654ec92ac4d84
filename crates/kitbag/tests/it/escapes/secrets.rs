//! Where tools keep keys, tokens and passwords: none of it is readable, wherever it was moved.

use super::{Den, SECRET};

/// Files in the home directory.
const HOME: &[&str] = &[
    ".ssh/id_ed25519",
    ".ssh/config",
    ".gnupg/private-keys-v1.d/key",
    ".gnupg/pubring.kbx",
    ".age/key.txt",
    ".config/sops/age/keys.txt",
    ".password-store/token.gpg",
    ".local/share/keyrings/login.keyring",
    ".local/share/kwalletd/kdewallet.kwl",
    ".pki/nssdb/key4.db",
    ".netrc",
    ".authinfo",
    ".git-credentials",
    ".config/git/credentials",
    ".config/gh/hosts.yml",
    ".config/hub",
    ".config/glab-cli/config.yml",
    ".config/tea/config.yml",
    ".config/jj/config.toml",
    ".aws/credentials",
    ".aws/sso/cache/token.json",
    ".azure/msal_token_cache.json",
    ".config/gcloud/credentials.db",
    ".config/gcloud/application_default_credentials.json",
    ".boto",
    ".s3cfg",
    ".config/rclone/rclone.conf",
    ".config/doctl/config.yaml",
    ".config/hcloud/cli.toml",
    ".config/linode-cli",
    ".config/scw/config.yaml",
    ".config/fly/config.yml",
    ".fly/config.yml",
    ".config/heroku/auth.json",
    ".config/netlify/config.json",
    ".local/share/com.vercel.cli/auth.json",
    ".wrangler/config/default.toml",
    ".config/.wrangler/config/default.toml",
    ".railway/config.json",
    ".supabase/access-token",
    ".pulumi/credentials.json",
    ".terraform.d/credentials.tfrc.json",
    ".terraformrc",
    ".vault-token",
    ".oci/config",
    ".bluemix/config.json",
    ".kube/config",
    ".docker/config.json",
    ".config/containers/auth.json",
    ".config/helm/registry/config.json",
    ".minikube/profiles/minikube/client.key",
    ".npmrc",
    ".yarnrc.yml",
    ".config/configstore/update.json",
    ".bunfig.toml",
    ".cargo/credentials.toml",
    ".cargo/credentials",
    ".pypirc",
    ".config/pip/pip.conf",
    ".config/pypoetry/auth.toml",
    ".config/uv/credentials.toml",
    ".condarc",
    ".config/hatch/config.toml",
    ".gem/credentials",
    ".bundle/config",
    ".composer/auth.json",
    ".config/composer/auth.json",
    ".m2/settings.xml",
    ".m2/settings-security.xml",
    ".gradle/gradle.properties",
    ".ivy2/.credentials",
    ".sbt/credentials",
    ".nuget/NuGet/NuGet.Config",
    ".config/go/env",
    ".hex/hex.config",
    ".pgpass",
    ".my.cnf",
    ".mylogin.cnf",
    ".config/rustup/token",
    ".mongorc.js",
    ".rediscli_auth",
    ".psql_history",
    ".bash_history",
    ".zsh_history",
    ".python_history",
    ".node_repl_history",
    ".local/share/fish/fish_history",
    ".lesshst",
    ".viminfo",
    ".claude/.credentials.json",
    ".claude.json",
    ".codex/auth.json",
    ".gemini/oauth_creds.json",
    ".config/github-copilot/hosts.json",
    ".config/github-copilot/apps.json",
    ".cursor/mcp.json",
    ".continue/config.json",
    ".aider.conf.yml",
    ".config/opencode/auth.json",
    ".local/share/opencode/auth.json",
    ".config/goose/secrets.yaml",
    ".config/io.datasette.llm/keys.json",
    ".cache/huggingface/token",
    ".huggingface/token",
    ".kaggle/kaggle.json",
    ".config/wandb/settings",
    ".openai",
    ".config/op/config",
    ".config/Bitwarden CLI/data.json",
    ".config/1Password/settings",
    ".mozilla/firefox/p.default/logins.json",
    ".config/google-chrome/Default/Login Data",
    ".config/chromium/Default/Cookies",
    ".config/BraveSoftware/Brave-Browser/Default/Cookies",
    ".config/Code/User/globalStorage/state.vscdb",
    ".config/JetBrains/idea/options/security.xml",
    ".thunderbird/p.default/key4.db",
    ".config/Slack/Cookies",
    ".config/discord/Local Storage/leveldb",
    ".config/Signal/config.json",
    ".local/share/TelegramDesktop/tdata",
    ".bitcoin/wallet.dat",
    ".config/solana/id.json",
    ".msmtprc",
    ".config/neomutt/neomuttrc",
    ".config/filezilla/sitemanager.xml",
    ".config/remmina/x.remmina",
    ".smbcredentials",
    ".config/autostart/secret.desktop",
    ".Xauthority",
    ".ICEauthority",
    ".env",
    "Documents/passwords.txt",
    "Downloads/recovery-codes.txt",
    "other-project/.env",
];

/// Variables that move a store: the variable, and the file below the directory that it names.
const MOVED: &[(&str, &str)] = &[
    ("CARGO_HOME", "credentials.toml"),
    ("XDG_CONFIG_HOME", "gh/hosts.yml"),
    ("XDG_DATA_HOME", "keyrings/login.keyring"),
    ("XDG_STATE_HOME", "bash/history"),
    ("XDG_CACHE_HOME", "huggingface/token"),
    ("GNUPGHOME", "private-keys-v1.d/key"),
    ("DOCKER_CONFIG", "config.json"),
    ("AZURE_CONFIG_DIR", "msal_token_cache.json"),
    ("CLOUDSDK_CONFIG", "credentials.db"),
    ("GH_CONFIG_DIR", "hosts.yml"),
    ("GRADLE_USER_HOME", "gradle.properties"),
    ("COMPOSER_HOME", "auth.json"),
    ("CLAUDE_CONFIG_DIR", ".credentials.json"),
    ("CODEX_HOME", "auth.json"),
    ("HF_HOME", "token"),
    ("PULUMI_HOME", "credentials.json"),
    ("PASSWORD_STORE_DIR", "token.gpg"),
    ("GOPATH", "token"),
    ("RUSTUP_HOME", "token"),
    ("MAVEN_HOME", "conf/settings.xml"),
    ("BUN_INSTALL", "token"),
    ("PNPM_HOME", "rc"),
    ("HEX_HOME", "hex.config"),
    ("JULIA_DEPOT_PATH", "servers/x/auth.toml"),
];

/// Variables that name a file.
const NAMED: &[&str] = &[
    "AWS_SHARED_CREDENTIALS_FILE",
    "AWS_CONFIG_FILE",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "KUBECONFIG",
    "NPM_CONFIG_USERCONFIG",
    "PIP_CONFIG_FILE",
    "NETRC",
    "PGPASSFILE",
    "TF_CLI_CONFIG_FILE",
    "GIT_CONFIG_GLOBAL",
    "BOTO_CONFIG",
    "RCLONE_CONFIG",
    "SOPS_AGE_KEY_FILE",
    "BUNDLE_USER_CONFIG",
];

#[test]
fn no_store_of_secrets_is_readable() {
    let open = |sandbox| (sandbox, readable(&Den::new(sandbox)));
    let open: Vec<_> = super::sandboxes().into_iter().map(open).collect();
    assert!(open.iter().all(|(_, open)| open.is_empty()), "readable: {open:#?}");
}

/// Seeds every store, and gives the names of those that a program can read.
fn readable(den: &Den) -> Vec<String> {
    let mut stores: Vec<(String, String)> = Vec::new();
    for file in HOME {
        stores.push((format!("~/{file}"), format!("home/{file}")));
    }
    let mut variables = Vec::new();
    for (variable, file) in MOVED {
        stores.push((format!("${variable}/{file}"), format!("home/moved/{variable}/{file}")));
        variables.push((*variable, den.dir().join(format!("home/moved/{variable}"))));
    }
    for variable in NAMED {
        stores.push((format!("${variable}"), format!("home/named/{variable}")));
        variables.push((*variable, den.dir().join(format!("home/named/{variable}"))));
    }
    let marker = |n: usize| format!("{SECRET}number-{n:03}.");
    for (n, (_, path)) in stores.iter().enumerate() {
        den.put(path, &format!("{}\n", marker(n)));
    }
    let more: Vec<_> =
        variables.iter().map(|(name, path)| (*name, path.display().to_string())).collect();
    let ran = den.bash("find {home} ~ -type f -exec cat {} +; env", &more);
    assert!(ran.out.contains("Exit code:"), "{ran:?}");
    // What is longer than an answer may be is cut, so each is asked for by itself too.
    let direct: String = stores
        .iter()
        .map(|(_, path)| format!("cat '{}/{path}' 2>/dev/null; ", den.dir().display()))
        .collect();
    let direct = den.bash(&format!("{direct} true"), &more);
    let read = |n: usize| ran.out.contains(&marker(n)) || direct.out.contains(&marker(n));
    let open = stores.iter().enumerate().filter(|(n, _)| read(*n));
    open.map(|(_, (name, _))| name.clone()).collect()
}
