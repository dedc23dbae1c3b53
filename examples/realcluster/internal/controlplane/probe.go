package controlplane

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"
)

// get requests a path that needs no rights from one of the servers.
func (c *Cluster) get(ctx context.Context, port int, path string) ([]byte, error) {
	ca, err := os.ReadFile(c.authority.CertFile())
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(ca)
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, DisableKeepAlives: true}
	client := &http.Client{Timeout: 10 * time.Second, Transport: transport}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, local("https", port)+path, nil)
	if err != nil {
		return nil, err
	}
	res, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s: %.300s", path, res.Status, body)
	}
	return body, err
}

// probe returns a function that fails unless a server is ready.
func (c *Cluster) probe(port int, path string) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := c.get(ctx, port, path)
		return err
	}
}
