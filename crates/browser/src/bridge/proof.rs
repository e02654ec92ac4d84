//! How the two ends of a connection show each other that they know the token, without sending it: who
//! listens at the port may be anybody, and so may who connects.
//!
//! Who connects says `kitbag/hello` with a nonce. Who listens answers `kitbag/proof` with the proof for
//! it and a nonce of its own, and is told the proof for that with the first message that counts.

use std::io::{self, Read as _, Seek as _, Write as _};

use fault::{Error, Result};
use files::State;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::socket::{Hear, Say};

/// The name of the file with the token, in the state directory.
const TOKEN: &str = "extension-token";

/// The part that an end of a connection has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Listener,
    Extension,
    Server,
}

impl Role {
    fn name(self) -> &'static str {
        match self {
            Self::Listener => "listener",
            Self::Extension => "extension",
            Self::Server => "server",
        }
    }

    /// The message that carries the proof of who connects.
    fn message(self) -> &'static str {
        if self == Self::Server { "kitbag/join" } else { "initialized" }
    }
}

/// What both ends know, and the port at which they meet: a proof for one port is none for another.
#[derive(Debug)]
pub(super) struct Secret {
    pub(super) token: String,
    pub(super) port: u16,
}

impl Secret {
    fn proof(&self, role: Role, nonce: &str) -> String {
        let Self { token, port } = self;
        hex(&Sha256::digest(format!("{}\n{port}\n{nonce}\n{token}", role.name())))
    }

    /// Proves to who connected that we know the token, and hears whether they do.
    pub(super) fn admit(&self, role: Role, hear: &mut Hear, say: &Say) -> io::Result<bool> {
        let Some(theirs) = hear.message("kitbag/hello").and_then(|m| nonce_in(&m)) else {
            return Ok(false);
        };
        let nonce = random()?;
        let proof = self.proof(Role::Listener, &theirs);
        tell(say, "kitbag/proof", &json!({"proof": proof, "nonce": nonce}))?;
        let answer = hear.message(role.message());
        Ok(answer.is_some_and(|m| m["params"]["proof"] == self.proof(role, &nonce)))
    }

    /// Hears whether who listens knows the token, and proves that we do.
    pub(super) fn introduce(&self, role: Role, hear: &mut Hear, say: &Say) -> io::Result<bool> {
        let nonce = random()?;
        tell(say, "kitbag/hello", &json!({"nonce": nonce}))?;
        let Some(answer) = hear.message("kitbag/proof") else { return Ok(false) };
        let theirs = nonce_in(&answer);
        let known = answer["params"]["proof"] == self.proof(Role::Listener, &nonce);
        let Some(theirs) = theirs.filter(|_| known) else { return Ok(false) };
        tell(say, role.message(), &json!({"proof": self.proof(role, &theirs)}))?;
        Ok(true)
    }
}

fn tell(say: &Say, method: &str, params: &Value) -> io::Result<()> {
    say.text(&json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string())
}

fn nonce_in(message: &Value) -> Option<String> {
    let nonce = message["params"]["nonce"].as_str()?;
    let is_one = nonce.len() == 32 && nonce.bytes().all(|b| b.is_ascii_hexdigit());
    is_one.then(|| nonce.to_owned())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// 16 random bytes in hexadecimal digits.
pub(crate) fn random() -> io::Result<String> {
    let mut bytes = [0_u8; 16];
    rustix::rand::getrandom(&mut bytes, rustix::rand::GetRandomFlags::empty())?;
    Ok(hex(&bytes))
}

/// The token that our extension is paired with, made if there is none.
///
/// # Errors
/// `Io` if the state directory cannot be used.
pub fn token(state: &State) -> Result<String> {
    let mut file = state.file("", TOKEN)?;
    let mut kept = || -> io::Result<String> {
        file.lock()?; // of two servers that start at once, one makes it
        let mut text = Vec::new();
        file.read_to_end(&mut text)?;
        let text = String::from_utf8_lossy(&text).trim().to_owned();
        if text.len() >= 32 {
            return Ok(text);
        }
        let token = random()?;
        file.set_len(0)?;
        file.rewind()?;
        file.write_all(token.as_bytes())?;
        Ok(token)
    };
    kept().map_err(|e| Error::state_io(&state.dir().join(TOKEN), &e))
}
