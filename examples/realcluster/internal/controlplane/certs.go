package controlplane

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// validity is how long certificates are valid. It is longer than any run.
const validity = 30 * 24 * time.Hour

// Authority signs the certificates of one cluster and writes them into a folder.
type Authority struct {
	dir  string
	key  crypto.Signer
	cert *x509.Certificate
}

// Pair has the paths of a certificate and its key.
type Pair struct{ Cert, Key string }

// NewAuthority makes a certificate authority. Its files are in dir, which only the user may read.
func NewAuthority(dir string) (*Authority, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	a := &Authority{dir: dir, key: key}
	about := &x509.Certificate{
		Subject: pkix.Name{CommonName: "realcluster"}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	a.cert = about // signed by itself
	der, err := a.sign(about, key.Public())
	if err != nil {
		return nil, err
	}
	if a.cert, err = x509.ParseCertificate(der); err != nil {
		return nil, err
	}
	return a, writePEM(a.CertFile(), "CERTIFICATE", der)
}

// CertFile returns the path of the authority's certificate.
func (a *Authority) CertFile() string { return filepath.Join(a.dir, "ca.crt") }

// Server issues a certificate for a server on 127.0.0.1 that is also a client of its peers.
func (a *Authority) Server(name string, names ...string) (Pair, error) {
	return a.issue(name, &x509.Certificate{
		Subject:     pkix.Name{CommonName: name},
		DNSNames:    append([]string{"localhost"}, names...),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv4(10, 96, 0, 1)},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	})
}

// Client issues a certificate for a user who is a member of groups.
func (a *Authority) Client(name, user string, groups ...string) (Pair, error) {
	return a.issue(name, &x509.Certificate{
		Subject:     pkix.Name{CommonName: user, Organization: groups},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	})
}

// Key makes a pair of keys without a certificate, as service accounts need it. Cert is the path of the public
// key.
func (a *Authority) Key(name string) (Pair, error) {
	files := Pair{Cert: filepath.Join(a.dir, name+".pub"), Key: filepath.Join(a.dir, name+".key")}
	key, err := newKey(files.Key)
	if err != nil {
		return Pair{}, err
	}
	der, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		return Pair{}, err
	}
	return files, writePEM(files.Cert, "PUBLIC KEY", der)
}

func (a *Authority) issue(name string, about *x509.Certificate) (Pair, error) {
	files := Pair{Cert: filepath.Join(a.dir, name+".crt"), Key: filepath.Join(a.dir, name+".key")}
	key, err := newKey(files.Key)
	if err != nil {
		return Pair{}, err
	}
	about.KeyUsage = x509.KeyUsageDigitalSignature
	der, err := a.sign(about, key.Public())
	if err != nil {
		return Pair{}, fmt.Errorf("certificate %s: %w", name, err)
	}
	return files, writePEM(files.Cert, "CERTIFICATE", der)
}

func (a *Authority) sign(about *x509.Certificate, key crypto.PublicKey) ([]byte, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return nil, err
	}
	about.SerialNumber = serial
	about.NotBefore = time.Now().Add(-time.Hour)
	about.NotAfter = about.NotBefore.Add(validity)
	return x509.CreateCertificate(rand.Reader, about, a.cert, key, a.key)
}

func newKey(file string) (crypto.Signer, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, err
	}
	return key, writePEM(file, "EC PRIVATE KEY", der)
}

func writePEM(file, kind string, der []byte) error {
	return os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600)
}
