package main

import (
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

// keys is a folder with two certificate authorities (of the server and of its clients), the server's pair and the key
// that signs service account tokens. They outlive a restart, as the tokens and certificates made from them must.
type keys struct {
	folder   string
	clientCA *pair
}

type pair struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
	certPEM     []byte
	keyPEM      []byte
}

func (k *keys) path(name string) string { return filepath.Join(k.folder, name) }

func loadOrCreateKeys(folder string) (*keys, error) {
	k := &keys{folder: folder}
	// client-ca.crt is written last: where it exists, the others do.
	if _, err := os.Stat(k.path("client-ca.crt")); err == nil {
		k.clientCA, err = k.read("client-ca")
		return k, err
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	serverCA, err := createPair(authority("kubeflect-test-server-ca"), nil)
	if err != nil {
		return nil, err
	}
	server, err := createPair(&x509.Certificate{
		Subject:     pkix.Name{CommonName: "kube-apiserver"},
		DNSNames:    []string{"localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc"},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv4(10, 0, 0, 1)},
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}, serverCA)
	if err != nil {
		return nil, err
	}
	serviceAccount, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	serviceAccountPEM, err := encodeKey(serviceAccount)
	if err != nil {
		return nil, err
	}
	if k.clientCA, err = createPair(authority("kubeflect-test-client-ca"), nil); err != nil {
		return nil, err
	}
	for _, file := range []struct {
		name    string
		content []byte
	}{
		{"server-ca.crt", serverCA.certPEM},
		{"server.crt", server.certPEM},
		{"server.key", server.keyPEM},
		{"service-account.key", serviceAccountPEM},
		{"client-ca.key", k.clientCA.keyPEM},
		{"client-ca.crt", k.clientCA.certPEM},
	} {
		if err := os.WriteFile(k.path(file.name), file.content, 0o600); err != nil {
			return nil, err
		}
	}
	return k, nil
}

// clientCertificate makes a pair for a user (common name) and its groups (organizations).
func (k *keys) clientCertificate(commonName string, organizations []string) (*pair, error) {
	return createPair(&x509.Certificate{
		Subject:     pkix.Name{CommonName: commonName, Organization: organizations},
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}, k.clientCA)
}

func (k *keys) read(name string) (*pair, error) {
	certPEM, err := os.ReadFile(k.path(name + ".crt"))
	if err != nil {
		return nil, err
	}
	keyPEM, err := os.ReadFile(k.path(name + ".key"))
	if err != nil {
		return nil, err
	}
	certBlock, _ := pem.Decode(certPEM)
	keyBlock, _ := pem.Decode(keyPEM)
	if certBlock == nil || keyBlock == nil {
		return nil, fmt.Errorf("%s is not in PEM form", k.path(name))
	}
	certificate, err := x509.ParseCertificate(certBlock.Bytes)
	if err != nil {
		return nil, err
	}
	key, err := x509.ParseECPrivateKey(keyBlock.Bytes)
	if err != nil {
		return nil, err
	}
	return &pair{certificate, key, certPEM, keyPEM}, nil
}

func authority(commonName string) *x509.Certificate {
	return &x509.Certificate{
		Subject:  pkix.Name{CommonName: commonName},
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
		IsCA:     true,
	}
}

// createPair fills in the template's serial number and dates and signs it: by the given authority, or by itself.
func createPair(template *x509.Certificate, signer *pair) (*pair, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return nil, err
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template.SerialNumber = serial
	template.BasicConstraintsValid = true
	template.NotBefore = time.Now().Add(-time.Hour)
	template.NotAfter = time.Now().AddDate(1, 0, 0)
	parent, signingKey := template, key
	if signer != nil {
		parent, signingKey = signer.certificate, signer.key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, key.Public(), signingKey)
	if err != nil {
		return nil, err
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	keyPEM, err := encodeKey(key)
	if err != nil {
		return nil, err
	}
	certPEM := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	return &pair{certificate, key, certPEM, keyPEM}, nil
}

func encodeKey(key *ecdsa.PrivateKey) ([]byte, error) {
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der}), nil
}
