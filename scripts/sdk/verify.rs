//! Verifies webhooks as `docs/guides/webhooks.md` describes.

use hmac::{Hmac, Mac};
use sha2::Sha256;

const TOLERANCE_SECONDS: i64 = 300;

/// Returns true if a webhook is genuine and recent.
///
/// `secret` is the endpoint's secret, `whsec_` included; `header` the value of Service-Signature; `body` the body exactly
/// as received.
pub fn is_genuine(secret: &str, header: &str, body: &[u8], now_seconds: i64) -> bool {
    let mut timestamps = header.split(',').filter_map(|part| part.strip_prefix("t="));
    let (Some(timestamp), None) = (timestamps.next(), timestamps.next()) else { return false };
    if !(1..=12).contains(&timestamp.len()) || !timestamp.bytes().all(|byte| byte.is_ascii_digit()) {
        return false;
    }
    let Ok(seconds) = timestamp.parse::<i64>() else { return false };
    if (now_seconds - seconds).abs() > TOLERANCE_SECONDS {
        return false;
    }
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("HMAC takes keys of any length");
    mac.update(format!("{timestamp}.").as_bytes());
    mac.update(body);
    // Each comparison takes the same time, wherever the first difference is.
    header
        .split(',')
        .filter_map(|part| hex::decode(part.strip_prefix("v1=")?).ok())
        .any(|signature| mac.clone().verify_slice(&signature).is_ok())
}
