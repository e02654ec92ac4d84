//! Licences, sources and bans of every dependency, held against `deny.toml`.
//!
//! The file is that of cargo-deny, which anybody may run instead; this check needs no program that
//! takes minutes to build and no network.

use std::collections::BTreeSet;

use serde::Deserialize;

use crate::{Result, output, root};

#[derive(Deserialize)]
struct Deny {
    licenses: Licenses,
    bans: Bans,
}

#[derive(Deserialize)]
struct Licenses {
    allow: Vec<String>,
}

#[derive(Deserialize)]
struct Bans {
    deny: Vec<Ban>,
}

#[derive(Deserialize)]
struct Ban {
    #[serde(rename = "crate")]
    name: String,
    reason: String,
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    version: String,
    license: Option<String>,
    source: Option<String>,
}

/// Names every dependency that breaks a rule.
pub(crate) fn check() -> Result {
    let text =
        std::fs::read_to_string(root().join("deny.toml")).map_err(|e| format!("deny.toml: {e}"))?;
    let deny: Deny = toml::from_str(&text).map_err(|e| format!("deny.toml: {e}"))?;
    let metadata = output("cargo", &["metadata", "--format-version", "1", "--locked"])?;
    let metadata: Metadata =
        serde_json::from_str(&metadata).map_err(|e| format!("cargo metadata: {e}"))?;
    let problems: Vec<String> = metadata
        .packages
        .iter()
        .filter_map(|p| problem(p, &deny).map(|what| format!("{} {}: {what}", p.name, p.version)))
        .collect();
    let registries: BTreeSet<_> =
        metadata.packages.iter().filter_map(|p| p.source.as_ref()).collect();
    if registries.len() > 1 {
        return Err(format!("dependencies come from more than one place: {registries:?}"));
    }
    if !problems.is_empty() {
        return Err(format!("dependencies against deny.toml:\n  {}", problems.join("\n  ")));
    }
    println!("dependencies: {} packages keep the rules of deny.toml", metadata.packages.len());
    Ok(())
}

fn problem(package: &Package, deny: &Deny) -> Option<String> {
    if let Some(ban) = deny.bans.deny.iter().find(|b| b.name == package.name) {
        return Some(format!("banned: {}", ban.reason));
    }
    let source = package.source.as_ref()?; // our own
    if !source.starts_with("registry+") {
        return Some(format!("comes from {source}, not from the registry"));
    }
    let Some(license) = &package.license else { return Some("names no licence".to_owned()) };
    let allowed: BTreeSet<&str> = deny.licenses.allow.iter().map(String::as_str).collect();
    let parsed = match spdx::Expression::parse_mode(license, spdx::ParseMode::LAX) {
        Ok(parsed) => parsed,
        Err(e) => return Some(format!("licence {license}: {e}")),
    };
    let fits = parsed.evaluate(|r| allowed.contains(r.to_string().as_str()));
    (!fits).then(|| format!("licence {license} is not allowed"))
}
