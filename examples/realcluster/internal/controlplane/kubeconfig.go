package controlplane

import (
	"path/filepath"

	"k8s.io/client-go/tools/clientcmd"
	clientapi "k8s.io/client-go/tools/clientcmd/api"
)

// WriteKubeconfig writes a kubeconfig for a client that authenticates by a certificate. It names files by their
// absolute paths.
func WriteKubeconfig(file, server, ca string, client Pair) error {
	for _, p := range []*string{&ca, &client.Cert, &client.Key} {
		whole, err := filepath.Abs(*p)
		if err != nil {
			return err
		}
		*p = whole
	}
	c := clientapi.NewConfig()
	c.Clusters["real"] = &clientapi.Cluster{Server: server, CertificateAuthority: ca}
	c.AuthInfos["client"] = &clientapi.AuthInfo{ClientCertificate: client.Cert, ClientKey: client.Key}
	c.Contexts["real"] = &clientapi.Context{Cluster: "real", AuthInfo: "client"}
	c.CurrentContext = "real"
	return clientcmd.WriteToFile(*c, file)
}
