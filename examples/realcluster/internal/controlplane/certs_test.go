package controlplane

import (
	"crypto/tls"
	"crypto/x509"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCertificatesAreOfTheAuthority(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "pki")
	a, err := NewAuthority(dir)
	require.NoError(t, err)
	server, err := a.Server("apiserver", "kubernetes.default.svc")
	require.NoError(t, err)
	client, err := a.Client("admin", "admin", "system:masters")
	require.NoError(t, err)

	ca, err := os.ReadFile(a.CertFile())
	require.NoError(t, err)
	roots := x509.NewCertPool()
	require.True(t, roots.AppendCertsFromPEM(ca))

	for _, name := range []string{"127.0.0.1", "localhost", "kubernetes.default.svc"} {
		_, err = leaf(t, server).Verify(x509.VerifyOptions{Roots: roots, DNSName: name})
		assert.NoError(t, err, name)
	}
	_, err = leaf(t, server).Verify(x509.VerifyOptions{Roots: roots, DNSName: "example.com"})
	assert.Error(t, err)

	c := leaf(t, client)
	_, err = c.Verify(x509.VerifyOptions{Roots: roots, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}})
	assert.NoError(t, err)
	_, err = c.Verify(x509.VerifyOptions{Roots: roots})
	assert.Error(t, err, "a client's certificate is not a server's")
	assert.Equal(t, "admin", c.Subject.CommonName)
	assert.Equal(t, []string{"system:masters"}, c.Subject.Organization)
}

func TestKeysAreTheUsersAlone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "pki")
	a, err := NewAuthority(dir)
	require.NoError(t, err)
	pair, err := a.Key("sa")
	require.NoError(t, err)
	info, err := os.Stat(pair.Key)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	info, err = os.Stat(dir)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o700), info.Mode().Perm())
}

func leaf(t *testing.T, p Pair) *x509.Certificate {
	t.Helper()
	pair, err := tls.LoadX509KeyPair(p.Cert, p.Key)
	require.NoError(t, err)
	c, err := x509.ParseCertificate(pair.Certificate[0])
	require.NoError(t, err)
	return c
}
