package controlplane

import (
	"path/filepath"
	"strconv"
)

// The arguments of the programs. All of them listen on 127.0.0.1 and speak TLS with certificates of the cluster's
// own authority.

func (c *Cluster) etcdArguments() []string {
	client, peer := local("https", c.Ports.EtcdClient), local("https", c.Ports.EtcdPeer)
	return []string{
		"--name=real", "--data-dir=" + filepath.Join(c.dir, "etcd"), "--log-level=warn",
		"--unsafe-no-fsync", // the data does not outlive the run
		"--listen-client-urls=" + client, "--advertise-client-urls=" + client,
		"--listen-peer-urls=" + peer, "--initial-advertise-peer-urls=" + peer, "--initial-cluster=real=" + peer,
		"--cert-file=" + c.serving.Cert, "--key-file=" + c.serving.Key,
		"--client-cert-auth", "--trusted-ca-file=" + c.authority.CertFile(),
		"--peer-cert-file=" + c.serving.Cert, "--peer-key-file=" + c.serving.Key,
		"--peer-client-cert-auth", "--peer-trusted-ca-file=" + c.authority.CertFile(),
	}
}

func (c *Cluster) apiserverArguments() []string {
	return append([]string{
		"--bind-address=127.0.0.1", "--advertise-address=127.0.0.1", "--secure-port=" + strconv.Itoa(c.Ports.APIServer),
		"--etcd-servers=" + local("https", c.Ports.EtcdClient),
		"--etcd-cafile=" + c.authority.CertFile(), "--etcd-certfile=" + c.serving.Cert, "--etcd-keyfile=" + c.serving.Key,
		"--client-ca-file=" + c.authority.CertFile(),
		"--tls-cert-file=" + c.serving.Cert, "--tls-private-key-file=" + c.serving.Key,
		"--authorization-mode=RBAC",
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file=" + c.accounts.Cert, "--service-account-signing-key-file=" + c.accounts.Key,
		"--service-cluster-ip-range=10.96.0.0/16", "--endpoint-reconciler-type=none", "--event-ttl=6h",
		"--max-requests-inflight=2000", "--max-mutating-requests-inflight=1000",
	}, c.auditArguments()...)
}

// auditArguments returns the arguments for an audit log in one file. The API server writes to it before it
// responds.
func (c *Cluster) auditArguments() []string {
	if c.options.AuditPolicy == "" {
		return nil
	}
	return []string{"--audit-policy-file=" + c.auditPolicy(), "--audit-log-path=" + c.AuditLog(), "--audit-log-mode=blocking", "--audit-log-maxsize=100000"}
}

func (c *Cluster) auditPolicy() string { return filepath.Join(c.dir, "audit-policy.json") }

// AuditLog returns the path of the audit log.
func (c *Cluster) AuditLog() string { return filepath.Join(c.dir, "audit.log") }

func (c *Cluster) controllersArguments() []string {
	return []string{
		"--kubeconfig=" + c.controllers, "--bind-address=127.0.0.1", "--secure-port=" + strconv.Itoa(c.Ports.Controllers),
		"--tls-cert-file=" + c.serving.Cert, "--tls-private-key-file=" + c.serving.Key,
		"--authorization-always-allow-paths=/healthz", "--authentication-skip-lookup",
		"--leader-elect=false",
		"--service-account-private-key-file=" + c.accounts.Key, "--root-ca-file=" + c.authority.CertFile(),
		"--node-monitor-grace-period=24h", // no kubelet renews its lease here
		"--kube-api-qps=500", "--kube-api-burst=1000",
		"--concurrent-deployment-syncs=10", "--concurrent-replicaset-syncs=10",
	}
}

func (c *Cluster) schedulerArguments(config string, port int) []string {
	return []string{
		"--config=" + config, "--bind-address=127.0.0.1", "--secure-port=" + strconv.Itoa(port),
		"--tls-cert-file=" + c.serving.Cert, "--tls-private-key-file=" + c.serving.Key,
		"--authorization-always-allow-paths=/healthz,/readyz,/metrics", "--authentication-skip-lookup",
		"--v=2",
	}
}
