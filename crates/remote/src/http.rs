//! The connection to an object store: HTTP/1.1, with TLS by rustls and `ring`. Certificates are
//! checked against the bundled roots of Mozilla, or against those in the file that `SSL_CERT_FILE`
//! names. No proxy, no platform library and no configuration of the system is consulted.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use http_body_util::BodyExt;
use hyper_rustls::HttpsConnector;
use hyper_util::{
    client::legacy::{Client, connect::HttpConnector as TcpConnector},
    rt::{TokioExecutor, TokioTimer},
};
use object_store::{
    ClientConfigKey, ClientOptions,
    client::{
        HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpRequestBody,
        HttpResponse, HttpResponseBody, HttpService,
    },
};
use rustls::{
    ClientConfig, RootCertStore,
    pki_types::{CertificateDer, pem::PemObject},
};

const CONNECT: Duration = Duration::from_secs(3);
/// An idle connection is kept this long for the next request.
const IDLE: Duration = Duration::from_secs(60);

/// Makes the client of a store.
#[derive(Debug)]
pub(crate) struct RustlsConnector {
    /// Until the head of a response must have come.
    pub response: Duration,
}

#[derive(Debug)]
struct RustlsClient {
    client: Client<HttpsConnector<TcpConnector>, HttpRequestBody>,
    response: Duration,
}

impl HttpConnector for RustlsConnector {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        let failed = |source| object_store::Error::Generic {
            store: "HTTP",
            source,
        };
        let allow_http = options.get_config_value(&ClientConfigKey::AllowHttp);
        let tls = tls_configuration().map_err(failed)?;
        let builder = hyper_rustls::HttpsConnectorBuilder::new().with_tls_config(tls);
        let builder = match allow_http.as_deref() {
            Some("true") => builder.https_or_http(),
            _ => builder.https_only(),
        };
        let mut tcp = TcpConnector::new();
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        tcp.set_connect_timeout(Some(CONNECT));
        let client = Client::builder(TokioExecutor::new())
            .pool_idle_timeout(IDLE)
            .pool_timer(TokioTimer::new())
            .build(builder.enable_http1().wrap_connector(tcp));
        Ok(HttpClient::new(RustlsClient {
            client,
            response: self.response,
        }))
    }
}

#[async_trait]
impl HttpService for RustlsClient {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let answered = tokio::time::timeout(self.response, self.client.request(request)).await;
        let response = answered
            .map_err(|late| HttpError::new(HttpErrorKind::Timeout, late))?
            .map_err(|error| {
                let kind = match error.is_connect() {
                    true => HttpErrorKind::Connect,
                    false => HttpErrorKind::Request,
                };
                HttpError::new(kind, error)
            })?;
        let (parts, body) = response.into_parts();
        let body = body.map_err(|error| HttpError::new(HttpErrorKind::Interrupted, error));
        Ok(HttpResponse::from_parts(parts, HttpResponseBody::new(body)))
    }
}

fn tls_configuration() -> Result<ClientConfig, Box<dyn std::error::Error + Send + Sync>> {
    let mut roots = RootCertStore::empty();
    match std::env::var_os("SSL_CERT_FILE").filter(|file| !file.is_empty()) {
        Some(file) => {
            let named = |error| format!("SSL_CERT_FILE {}: {error}", file.to_string_lossy());
            for certificate in
                CertificateDer::pem_file_iter(&file).map_err(|e| named(e.to_string()))?
            {
                roots.add(certificate.map_err(|e| named(e.to_string()))?)?;
            }
            if roots.is_empty() {
                return Err(named("no certificate in it".to_owned()).into());
            }
        }
        None => roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned()),
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder =
        ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
    Ok(builder.with_root_certificates(roots).with_no_client_auth())
}
