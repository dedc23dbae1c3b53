package controlplane

import (
	"path/filepath"

	"k8s.io/client-go/tools/clientcmd"
	clientapi "k8s.io/client-go/tools/clientcmd/api"
)

// WriteKubeconfig writes the access of a client with a certificate to the API
// server. The files are named by their whole paths.
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
