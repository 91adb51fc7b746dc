using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = ( services = [ (name = "main", worker = .main) ], sockets = [ (name = "http", address = "127.0.0.1:44391", http = (), service = "main") ] );
const main :Workerd.Worker = ( modules = [ (name = "service", esModule = embed "service.js") ], compatibilityDate = "2024-09-23", compatibilityFlags = ["nodejs_compat"],
  durableObjectNamespaces = [ (className = "Counter", uniqueKey = "x") ], durableObjectStorage = (inMemory = void), bindings = [ (name = "C", durableObjectNamespace = "Counter") ] );
