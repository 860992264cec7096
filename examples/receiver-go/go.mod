module example.com/receiver

go 1.22

require example.com/webhooks v0.0.0

replace example.com/webhooks => ../verify/go
