<?php

declare(strict_types=1);

// Verifies webhooks. PHP 8.0 or newer, no extensions beyond the standard ones.

const WEBHOOK_TOLERANCE_SECONDS = 300;

/**
 * Whether a webhook is genuine and recent.
 *
 * @param string $secret the endpoint's secret, "whsec_" included
 * @param string|null $header the value of Service-Signature ($_SERVER['HTTP_SERVICE_SIGNATURE'] ?? null)
 * @param string $body the body exactly as received, before any parsing (file_get_contents('php://input'))
 * @param int|null $nowSeconds Unix time; given in tests only
 */
function isGenuineWebhook(string $secret, ?string $header, string $body, ?int $nowSeconds = null): bool
{
    $timestamps = [];
    $signatures = [];
    foreach (explode(',', $header ?? '') as $part) {
        if (str_starts_with($part, 't=')) {
            $timestamps[] = substr($part, 2);
        } elseif (str_starts_with($part, 'v1=')) {
            $signatures[] = substr($part, 3);
        }
    }
    // \z, since $ also matches before a line break at the end.
    if (count($timestamps) !== 1 || preg_match('/\A[0-9]{1,12}\z/', $timestamps[0]) !== 1) {
        return false;
    }
    if (abs(($nowSeconds ?? time()) - (int) $timestamps[0]) > WEBHOOK_TOLERANCE_SECONDS) {
        return false;
    }
    $expected = hash_hmac('sha256', $timestamps[0] . '.' . $body, $secret);
    // Every signature is compared, each in constant time, so that the time reveals nothing.
    $genuine = false;
    foreach ($signatures as $signature) {
        $genuine = hash_equals($expected, $signature) || $genuine;
    }
    return $genuine;
}

// php verify.php <secret> <header> [<now>] < body
if (PHP_SAPI === 'cli' && realpath($argv[0]) === __FILE__) {
    if ($argc !== 3 && $argc !== 4) {
        fwrite(STDERR, "usage: php verify.php <secret> <Service-Signature> [<unix time>] < body\n");
        exit(2);
    }
    $genuine = isGenuineWebhook($argv[1], $argv[2], stream_get_contents(STDIN), isset($argv[3]) ? (int) $argv[3] : null);
    echo $genuine ? "genuine\n" : "not genuine\n";
    exit($genuine ? 0 : 1);
}
