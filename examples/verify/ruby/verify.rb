# frozen_string_literal: true

# Verifies webhooks. Ruby 2.7 or newer, standard library only.

require 'openssl'

module Webhooks
  TOLERANCE_SECONDS = 300

  # Whether a webhook is genuine and recent.
  #
  # secret: the endpoint's secret, "whsec_" included
  # header: the value of Service-Signature, or nil when there is none
  # body: the body exactly as received, before any parsing (request.body.read)
  # now: Unix time; given in tests only
  def self.genuine?(secret, header, body, now: Time.now.to_f)
    parts = header.to_s.b.split(',', -1)
    timestamps = parts.select { |part| part.start_with?('t=') }.map { |part| part[2..] }
    signatures = parts.select { |part| part.start_with?('v1=') }.map { |part| part[3..] }
    # \z, since $ also matches before a line break.
    return false unless timestamps.length == 1 && timestamps[0].match?(/\A[0-9]{1,12}\z/)
    return false if (now - timestamps[0].to_i).abs > TOLERANCE_SECONDS

    expected = OpenSSL::HMAC.hexdigest('SHA256', secret, "#{timestamps[0]}.".b + body.b)
    # Every signature is compared, each in constant time, so that the time reveals nothing.
    signatures.map { |signature| OpenSSL.secure_compare(signature, expected) }.any?
  end
end

# ruby verify.rb <secret> <header> [<now>] < body
if $PROGRAM_NAME == __FILE__
  unless [2, 3].include?(ARGV.length)
    warn 'usage: ruby verify.rb <secret> <Service-Signature> [<unix time>] < body'
    exit 2
  end
  now = ARGV[2] ? Integer(ARGV[2], 10) : Time.now.to_f
  genuine = Webhooks.genuine?(ARGV[0], ARGV[1], $stdin.binmode.read, now: now)
  puts genuine ? 'genuine' : 'not genuine'
  exit genuine ? 0 : 1
end
