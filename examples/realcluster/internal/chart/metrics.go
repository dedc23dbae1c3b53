package chart

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/outrank-go/outrank/examples/realcluster/internal/controlplane"
)

// reader is the service account that asks for metrics, as Prometheus would.
const (
	reader          = "metrics-reader"
	readerNamespace = metav1.NamespaceDefault
)

// AllowMetrics creates a service account whose only right is to get metrics.
func AllowMetrics(ctx context.Context, client kubernetes.Interface) error {
	about := metav1.ObjectMeta{Name: reader, Namespace: readerNamespace}
	_, one := client.CoreV1().ServiceAccounts(readerNamespace).Create(ctx, &corev1.ServiceAccount{ObjectMeta: about}, metav1.CreateOptions{})
	about.Namespace = ""
	_, two := client.RbacV1().ClusterRoles().Create(ctx, &rbacv1.ClusterRole{
		ObjectMeta: about, Rules: []rbacv1.PolicyRule{{NonResourceURLs: []string{"/metrics"}, Verbs: []string{"get"}}},
	}, metav1.CreateOptions{})
	_, three := client.RbacV1().ClusterRoleBindings().Create(ctx, &rbacv1.ClusterRoleBinding{
		ObjectMeta: about, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: reader},
		Subjects: []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Name: reader, Namespace: readerNamespace}},
	}, metav1.CreateOptions{})
	return errors.Join(one, two, three)
}

// Leader returns the pod that leads, with its metrics. It is an error if no pod leads.
func (p *Pods) Leader(ctx context.Context) (pod string, _ controlplane.Metrics, _ error) {
	token, err := p.Token(ctx, readerNamespace, reader)
	if err != nil {
		return "", nil, err
	}
	p.mu.Lock()
	var all []*container
	for _, c := range p.running {
		all = append(all, c)
	}
	p.mu.Unlock()
	trouble := errors.New("none of the pods leads")
	for _, c := range all {
		m, err := metrics(ctx, c.port, token)
		if err != nil {
			trouble = errors.Join(trouble, fmt.Errorf("pod %s: %w", c.pod, err))
		} else if m.Leads() {
			return c.pod, m, nil
		}
	}
	return "", nil, trouble
}

// AwaitLeader waits until a pod other than before leads.
func (p *Pods) AwaitLeader(ctx context.Context, before string) (pod string, err error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for {
		if pod, _, err = p.Leader(ctx); err == nil && pod != before {
			return pod, nil
		}
		if err == nil {
			err = fmt.Errorf("pod %s still leads", pod)
		}
		select {
		case <-ctx.Done():
			return "", err
		case <-time.After(500 * time.Millisecond):
		}
	}
}

// metrics asks a scheduler for its metrics. It does not verify the certificate, which the scheduler has signed
// itself.
func metrics(ctx context.Context, port int, token string) (controlplane.Metrics, error) {
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true}
	client := &http.Client{Timeout: 10 * time.Second, Transport: transport}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprintf("https://127.0.0.1:%d/metrics", port), nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	res, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("metrics: %s: %.200s", res.Status, body)
	}
	if err != nil {
		return nil, err
	}
	return controlplane.ReadMetrics(body)
}
